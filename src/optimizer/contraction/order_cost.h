#pragma once

#include <vector>

#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// The cost of an order of contractions. The model is that of opt_einsum: every step is a loop over
/// the labels of its two tensors, with one ⊗ per element, and one ⊕ if something is summed.
struct OrderCost {
  double operations = 0;
  double largest = 0;  // elements of the largest intermediate; operands and the result do not count
};

/// Returns the operations of one step: `loop` elements of the two tensors' labels, `result` of the
/// labels that stay.
double step_operations(double loop, double result);

OrderCost cost_of(const TensorNetwork& network, const std::vector<ContractionStep>& steps);

/// True if one order is better than another, given that no intermediate should exceed
/// `most_elements`. One that fits beats one that does not. Among orders that fit, fewer operations
/// and then the smaller largest intermediate win; among the others, the other way round.
bool is_better(const OrderCost& one, const OrderCost& other, double most_elements);

}  // namespace tessera::optimizer
