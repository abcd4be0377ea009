#pragma once

#include <string>
#include <vector>

#include "expr/aggregate.h"
#include "ir/tra/graph.h"

namespace tessera::tra {

/// Returns what makes the bits of an operator depend on cuts (expr/reduction_order.h); a
/// reproducible graph has none of it: reductions of its kernel that round without the leaf that
/// they need, key dimensions that cut them elsewhere than between subtrees, and tuples that are
/// merged with rounding, but not as a tree. `type` is the type of the result.
std::vector<std::string> problems_of_order(const Op& op, const RelationType& type,
                                           const expr::AggregateRegistry& aggregates);

}  // namespace tessera::tra
