#pragma once

#include <optional>
#include <set>
#include <vector>

#include "ir/ia/graph.h"
#include "plan/lineage.h"

namespace tessera::plan {

/// The tuples of a relation that some result depends on: those with these keys, or all of them.
///
/// A join that reads the diagonal of a relation, A[i,i], needs as many tuples as a label has
/// pieces, while the relation has that number squared.
using NeededKeys = std::optional<std::set<Key>>;

/// Returns the needed keys of every node. A relation that nothing reads counts as needed, because
/// its errors have yet to be reported. Errors: `user` if they are more than a relation may have.
std::vector<NeededKeys> needed_keys(const ia::Graph& graph);

}  // namespace tessera::plan
