#pragma once

#include "ir/tra/infer.h"

namespace tessera::tra {

/// Returns the tuples of an operator's result, given those of its inputs; `type` is its type,
/// except for these. A join makes a tuple if all that meet are present, an aggregate if any of a
/// group is. Unknown if keys are too many to be listed, or if a filter needs a kernel. REQUIRES an
/// operator that fits its inputs, and no Input: that brings its own.
KeySet present_of(const Op& op, const RelationType& type, const Relations& relations);

/// Returns, by dimension of a join's input, the dimension of the join's key with its label, or -1.
std::vector<int> matched_dims(const Join& join, size_t input);

/// Returns the key of an input's tuple for a key of the join.
Key matched_key(const Key& key, const std::vector<int>& dims);

/// Returns, for every key of a join in row-major order, the place of that key among those of an
/// input. Errors: those of Keys.
std::vector<int64_t> matched_numbers(const std::vector<KeyDim>& joined,
                                     const std::vector<int>& dims,
                                     const std::vector<KeyDim>& of_input);

}  // namespace tessera::tra
