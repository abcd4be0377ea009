#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/ia/graph.h"

namespace tessera::placement::two_phase {

/// By node: whether it is a join that an aggregate alone reads, which is planned with it.
std::vector<bool> merged_joins(const ia::Graph& graph);

/// The dimensions of a join's key by which a hash join deals out: those that several inputs have;
/// all where none is cut and shared.
std::vector<size_t> shared_dims(const tra::Join& join);

/// The place of a key among those that differ along these dimensions.
int64_t number_along(const tra::Key& key, const std::vector<tra::KeyDim>& space,
                     const std::vector<size_t>& dims);

/// Whether runs of the tuples that an aggregate merges can be merged first: what it sums over
/// counts pieces, along which the tuples' arrays are whole.
bool has_runs(const tra::RelationType& joined, const tra::RelationType& merged);

}  // namespace tessera::placement::two_phase
