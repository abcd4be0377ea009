#include "program/growing/bound_statements.h"

#include <utility>

#include "program/growing/statement_syntax.h"

namespace tessera::program {

namespace {

/// All are forgotten when there are more. A recursion has some dozens.
constexpr size_t kMostKnown = 2048;

}  // namespace

BoundStatementPtr BoundStatements::bind(const Assignment& assignment,
                                        const std::vector<std::string>& reads,
                                        const std::vector<ArrayType>& types) {
  const size_t hash = shape_hash_of(assignment);
  const auto [begin, end] = known_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    const Known& other = known->second;
    if (other.types == types &&
        have_same_shape({other.assignment, other.reads}, {assignment, reads})) {
      return other.bound;
    }
  }
  BoundStatement made{reads.size(), binder_.bind(syntax_of(assignment, types, functions_)).value()};
  auto bound = std::make_shared<const BoundStatement>(std::move(made));
  if (known_.size() == kMostKnown) {
    known_.clear();
  }
  known_.emplace(hash, Known{assignment, reads, types, bound});
  return bound;
}

}  // namespace tessera::program
