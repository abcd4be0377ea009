#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/ia/graph.h"

namespace tessera::placement::two_phase {

/// Returns, by node, true if it is a join that only an aggregate reads, which is planned with it.
std::vector<bool> merged_joins(const ia::Graph& graph);

/// Returns the dimensions of a join's key that a hash join deals out by: those that several inputs
/// have; all if none of these is cut.
std::vector<size_t> shared_dims(const tra::Join& join);

/// Returns the number of a key among keys that differ along these dimensions.
int64_t number_along(const tra::Key& key, const std::vector<tra::KeyDim>& space,
                     const std::vector<size_t>& dims);

/// True if runs of the tuples that an aggregate merges can be merged first: the summed dimensions
/// count pieces, along which the tuples' arrays are whole.
bool has_runs(const tra::RelationType& joined, const tra::RelationType& merged);

}  // namespace tessera::placement::two_phase
