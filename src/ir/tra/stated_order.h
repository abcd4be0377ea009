#pragma once

#include <string>
#include <vector>

#include "expr/aggregate.h"
#include "ir/tra/graph.h"

namespace tessera::tra {

/// What keeps the bits of an operator from being those of any cuts (expr/reduction_order.h), of
/// which a graph that is reproducible has nothing: reductions of its kernel that round without the
/// leaf that they need, key dimensions that cut them elsewhere than between subtrees, and tuples
/// that are merged with rounding, but not as a tree. `type` is what the operator makes.
std::vector<std::string> problems_of_order(const Op& op, const RelationType& type,
                                           const expr::AggregateRegistry& aggregates);

}  // namespace tessera::tra
