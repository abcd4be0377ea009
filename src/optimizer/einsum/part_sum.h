#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/scalar.h"
#include "ir/einsum/graph.h"

namespace tessera::optimizer {

/// The reduction of a part of a statement's body over the same labels, as the state and in its
/// dtype; its modes are the labels of the result that the part has, in the result's order. A
/// product is multiplied in that dtype too. REQUIRES a reduction whose state is a value
/// (product.h).
einsum::Vertex sum_of_part(const einsum::Vertex& vertex, const expr::Scalar& part,
                           std::string name);

/// Where a statement over the results reads it: its element at the labels of the result, which
/// have these numbers there. The operand is the caller's to fill in.
expr::Access at_sum_of_part(const einsum::EinSum& einsum, const expr::Scalar& part,
                            const std::vector<expr::LabelNumber>& numbers);

/// The number that each label of a statement has in one over its results (over_results); -1 where
/// it is reduced.
std::vector<expr::LabelNumber> numbers_in_results(const einsum::EinSum& einsum);

/// How many positions are merged for each result.
int64_t num_reduced_positions(const einsum::EinSum& einsum);

}  // namespace tessera::optimizer
