#pragma once

#include <functional>
#include <string>
#include <vector>

#include "expr/function.h"
#include "ir/tra/infer.h"

namespace tessera::tra {

/// The node that made the tuples of a node, past those that only move them, and its operator.
struct Maker {
  NodeId id;
  const Op* op = nullptr;
};
using Makers = std::function<Maker(NodeId)>;

/// What is wrong with absent tuples under an aggregate; nothing if all is well.
///
/// A join makes nothing where one of its tuples is absent, so the tuples that are there go unused.
/// An absent tuple stands for the identity e of what merges it, and then that is right only where e
/// annihilates the other: with a tile of zeros a product adds nothing to a sum. So a join of
/// present and absent tuples whose result is merged by ⊕ has to be of functions ⊗ that say so
/// (Function::annihilates). What it leaves out stands for e from there on: all joins and transforms
/// between it and the aggregate have to make e of it again, as sqrt does of 0 and exp does not.
/// Tuples that are absent together are no trouble, nor is one relation by itself: a filter means
/// what it says, also of what has been left out before it.
///
/// A group of an aggregate that has no tuple is absent, and stands for the identity of that one.
/// Merged again by an aggregate of another identity it would stand for two things (of a maximum
/// -inf, of a sum 0), so that is refused, also past other operators; but for groups that a filter
/// leaves out.
std::vector<std::string> problems_of_absence(const Aggregate& aggregate, const Makers& makers,
                                             const Relations& relations,
                                             const expr::FunctionRegistry& functions);

}  // namespace tessera::tra
