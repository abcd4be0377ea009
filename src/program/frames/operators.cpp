#include "program/frames/operators.h"

#include <utility>

namespace tessera::program::frames {

std::string name_of(OperatorKind kind) {
  switch (kind) {
    case OperatorKind::map:
      return "map";
    case OperatorKind::select:
      return "select";
    case OperatorKind::aggregate:
      return "aggregate";
    case OperatorKind::unite:
      return "unite";
  }
  return "";
}

std::optional<OperatorKind> kind_of(std::string_view name) {
  for (const OperatorKind kind : kOperatorKinds) {
    if (name_of(kind) == name) {
      return kind;
    }
  }
  return std::nullopt;
}

OperatorGraph::OperatorGraph(std::vector<Operator> all)
    : operators(std::move(all)), readers(operators.size()) {
  for (size_t reader = 0; reader < operators.size(); ++reader) {
    for (const size_t read : operators[reader].reads) {
      readers[read].push_back(reader);
    }
  }
}

}  // namespace tessera::program::frames
