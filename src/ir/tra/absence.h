#pragma once

#include <functional>
#include <string>
#include <vector>

#include "expr/function.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

/// The node that computed the tuples of a node, below all moves, and its operator.
struct Maker {
  NodeId id;
  const Op* op = nullptr;
};
using Makers = std::function<Maker(NodeId)>;

/// Returns the problems of absent tuples under an aggregate; nothing if there are none.
///
/// A join makes nothing if one of its tuples is absent, so the present ones go unused. An absent
/// tuple stands for the identity e of the merge, and that is right only if e annihilates the other:
/// with a tile of zeros a product adds nothing to a sum. So a join of present and absent tuples
/// whose result is merged by ⊕ has to be of functions ⊗ that state this (Function::annihilates).
/// Its missing results stand for e from there on: all joins and transforms between it and the
/// aggregate have to map e to e, like sqrt does with 0 and exp does not. Tuples that are absent
/// together are no problem, nor is one relation by itself: a filter is applied as stated, even to
/// tuples that were left out before.
///
/// A group of an aggregate without tuples is absent, and stands for the identity of that aggregate.
/// Merged again by an aggregate of another identity it would stand for two things (for a maximum
/// -inf, for a sum 0), so that is refused, even across other operators, except for groups that a
/// filter leaves out.
std::vector<std::string> problems_of_absence(const Aggregate& aggregate, const Makers& makers,
                                             const Relations& relations,
                                             const expr::FunctionRegistry& functions);

}  // namespace tessera::tra
