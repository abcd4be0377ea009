#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ir/ia/graph.h"
#include "plan/lineage.h"

namespace tessera::plan {

/// Which tuples of a relation some result is made from: those with these keys, or all of them.
///
/// A join that reads the diagonal of a relation, A[i,i], needs as many tuples as a label has
/// pieces, where the relation has that number squared.
using NeededKeys = std::optional<std::set<Key>>;

/// The needed keys of every node. A relation that nothing reads counts as needed: what is wrong
/// with it is still to be said. Errors: `user` where they are more than a relation may have.
std::vector<NeededKeys> needed_keys(const ia::Graph& graph);

}  // namespace tessera::plan
