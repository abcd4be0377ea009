#pragma once

#include <vector>

#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// What an order of contractions costs. The model is that of opt_einsum: every step is a loop over
/// the labels of its two tensors, with one ⊗, and one ⊕ where something is summed, per element.
struct OrderCost {
  double operations = 0;
  double largest = 0;  // elements of the largest intermediate; operands and the result are none
};

/// Operations of one step: `loop` elements of the two tensors' labels, `result` of those that stay.
double step_operations(double loop, double result);

OrderCost cost_of(const TensorNetwork& network, const std::vector<ContractionStep>& steps);

/// Whether one order is wanted rather than another, if no intermediate shall exceed
/// `most_elements`: one that fits before one that does not; then fewer operations and the smaller
/// largest intermediate, in this order among those that fit, in the other among those that do not.
bool is_better(const OrderCost& one, const OrderCost& other, double most_elements);

}  // namespace tessera::optimizer
