#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expr/scalar.h"
#include "ir/einsum/graph.h"

namespace tessera::optimizer {

/// Reduces a part of a statement's body over the same labels. The result is the state, in its
/// dtype, and its modes are the labels of the statement's result that the part has, in the result's
/// order. A product is multiplied in that dtype too. REQUIRES a reduction whose state is a value
/// (product.h).
einsum::Vertex sum_of_part(const einsum::Vertex& vertex, const expr::Scalar& part,
                           std::string name);

/// Returns the access by which a statement over the results reads the sum of a part: its element at
/// the labels of the result, which have these numbers there. The caller fills in the operand.
expr::Access at_sum_of_part(const einsum::EinSum& einsum, const expr::Scalar& part,
                            const std::vector<expr::LabelNumber>& numbers);

/// Returns the number that each label of a statement has in a statement over its results
/// (over_results); -1 for a reduced label.
std::vector<expr::LabelNumber> numbers_in_results(const einsum::EinSum& einsum);

/// Returns the number of positions that are merged for each result.
int64_t num_reduced_positions(const einsum::EinSum& einsum);

}  // namespace tessera::optimizer
