#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/einsum/program/typing.h"
#include "frontend/einsum/program/vertices.h"

/// Functions of whole arrays: their arguments are operands, so a computed argument is a vertex of
/// its own.
namespace tessera::frontend {

namespace {

/// Returns the labels of a read whose indices are labels alone, each once; nothing for any other
/// expression.
std::optional<std::vector<LabelIndex>> labels_read_alone(const ResolvedNode& node) {
  const ResolvedRead* const read = read_at(node);
  std::vector<LabelIndex> labels;
  for (size_t mode = 0; read != nullptr && mode < read->index.size(); ++mode) {
    if (const auto* const label = std::get_if<LabelIndex>(&read->index[mode])) {
      labels.push_back(*label);
    }
  }
  const std::set<LabelIndex> distinct(labels.begin(), labels.end());
  const bool is_alone = read != nullptr && distinct.size() == read->index.size();
  return is_alone ? std::optional(std::move(labels)) : std::nullopt;
}

}  // namespace

void VertexMaker::check_square(const ResolvedWhole& whole, const expr::Function& function) const {
  const LabelIndex rows = whole.core.front();
  const LabelIndex columns = whole.core.back();
  TESSERA_USER_CHECK(!function.core->is_square || extent_of(rows) == extent_of(columns),
                     "{} takes a square matrix, and {} has {} positions, {} has {}", function.name,
                     statement_.labels[static_cast<size_t>(rows)].name, extent_of(rows),
                     statement_.labels[static_cast<size_t>(columns)].name, extent_of(columns));
}

VertexMaker::WholeArgument VertexMaker::argument_of(const ResolvedWhole& whole, size_t number,
                                                    const expr::Function& of) {
  const int32_t node = whole.arguments[number];
  WholeArgument argument{node, free_labels(node), {{}, {}, {}, ExpressionBuilder(vocabulary_)}, {}};
  for (size_t core = 0; core < whole.core.size(); ++core) {
    const std::vector<int>& wanted = of.core->arguments[number];
    const bool is_wanted =
        std::find(wanted.begin(), wanted.end(), static_cast<int>(core)) != wanted.end();
    const bool is_there = std::find(argument.labels.begin(), argument.labels.end(),
                                    whole.core[core]) != argument.labels.end();
    TESSERA_USER_CHECK(is_wanted || !is_there, "argument {} of {} has no label {}", number + 1,
                       of.name, statement_.labels[static_cast<size_t>(whole.core[core])].name);
    if (is_wanted && !is_there) {
      argument.labels.push_back(whole.core[core]);
    }
  }
  add_labels(argument.draft, argument.labels, {});
  argument.value = value_of(argument.draft, node);
  return argument;
}

einsum::VertexId VertexMaker::vertex_of(WholeArgument& argument, DType dtype) {
  const ResolvedNode& node = statement_.nodes[static_cast<size_t>(argument.node)];
  const std::optional<std::vector<LabelIndex>> read = labels_read_alone(node);
  if (read && read->size() == argument.labels.size() &&
      argument.draft.body.dtype_of(argument.value) == dtype) {
    argument.labels = *read;
    return read_at(node)->vertex;
  }
  Draft& draft = argument.draft;
  draft.einsum.body = draft.body.finish(draft.body.cast(argument.value, dtype));
  einsum::EinSum op = draft.einsum;
  return add_part(vertex_of(std::move(draft), std::move(op), dtype, node.span));
}

std::vector<Value> VertexMaker::read_arguments(Draft& draft, std::vector<WholeArgument> arguments,
                                               const expr::FunctionTypes& types) {
  std::vector<Value> operands;
  for (size_t number = 0; number < arguments.size(); ++number) {
    WholeArgument& argument = arguments[number];
    const einsum::VertexId vertex = vertex_of(argument, types.arguments[number]);
    const std::vector<LabelIndex>& labels = argument.labels;
    operands.push_back(read(draft, vertex, {labels.begin(), labels.end()}));
  }
  return operands;
}

einsum::Vertex VertexMaker::make_whole(int32_t root, const std::vector<LabelIndex>& out,
                                       SourceSpan span) {
  const ResolvedNode& node = statement_.nodes[static_cast<size_t>(root)];
  const ResolvedWhole& whole = *whole_at(node);
  const expr::Function& function = *vocabulary_.functions.find(whole.function);
  std::vector<WholeArgument> arguments;
  std::vector<DType> dtypes;
  for (size_t number = 0; number < whole.arguments.size(); ++number) {
    arguments.push_back(argument_of(whole, number, function));
    dtypes.push_back(arguments.back().draft.body.dtype_of(arguments.back().value));
  }
  at_ = node.span;
  check_square(whole, function);
  const expr::FunctionTypes types = naming_macro(node, [&] { return function.bind(dtypes); });
  Draft draft{{}, {}, {}, ExpressionBuilder(vocabulary_)};
  add_labels(draft, out, whole.over);
  const std::vector<Value> operands = read_arguments(draft, std::move(arguments), types);
  einsum::Whole op{draft.einsum.labels, draft.einsum.out, {{}, draft.einsum.over}, {}};
  for (const LabelIndex label : whole.core) {
    op.what.core.push_back(draft.numbers.at(label));
  }
  op.body = draft.body.finish(draft.body.call(function.name, operands));
  return vertex_of(std::move(draft), std::move(op), types.result, span);
}

}  // namespace tessera::frontend
