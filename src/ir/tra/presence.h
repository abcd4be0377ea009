#pragma once

#include "ir/tra/infer.h"

namespace tessera::tra {

/// Which tuples an operator makes of those that its inputs have; `type` is what it makes, but for
/// this. A join makes one where all that meet are there, an aggregate where any of a group is.
/// Unknown where keys are too many to be listed, or a filter asks what only a kernel can compute.
/// REQUIRES an operator that fits its inputs, and no Input: that brings its own.
KeySet present_of(const Op& op, const RelationType& type, const Relations& relations);

/// By dimension of an input of a join: that of the join's key which has its label, or -1.
std::vector<int> matched_dims(const Join& join, size_t input);

/// The key that an input's tuple has where a tuple of the join has this key.
Key matched_key(const Key& key, const std::vector<int>& dims);

/// For every key of a join in row-major order, the place of that key among those of an input.
/// Errors: as Keys.
std::vector<int64_t> matched_numbers(const std::vector<KeyDim>& joined,
                                     const std::vector<int>& dims,
                                     const std::vector<KeyDim>& of_input);

}  // namespace tessera::tra
