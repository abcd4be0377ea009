#include "optimizer/contraction/order_cost.h"

#include <algorithm>
#include <tuple>

namespace tessera::optimizer {

double step_operations(double loop, double result) {
  // The quotient is a whole number, so that rounding in large volumes cannot tip the comparison.
  return loop > 1.5 * result ? 2 * loop : loop;
}

OrderCost cost_of(const TensorNetwork& network, const std::vector<ContractionStep>& steps) {
  const size_t num_tensors = network.tensors.size();
  const auto labels_of = [&](int32_t tensor) -> const LabelSet& {
    const auto number = static_cast<size_t>(tensor);
    return number < num_tensors ? network.tensors[number] : steps[number - num_tensors].labels;
  };
  OrderCost cost;
  for (size_t step = 0; step < steps.size(); ++step) {
    const double loop =
        volume_of_both(labels_of(steps[step].left), labels_of(steps[step].right), network.extents);
    const double result = volume(steps[step].labels, network.extents);
    cost.operations += step_operations(loop, result);
    if (step + 1 < steps.size()) {
      cost.largest = std::max(cost.largest, result);
    }
  }
  return cost;
}

bool is_better(const OrderCost& one, const OrderCost& other, double most_elements) {
  const bool one_fits = one.largest <= most_elements;
  const bool other_fits = other.largest <= most_elements;
  if (one_fits != other_fits) {
    return one_fits;
  }
  return one_fits
             ? std::tie(one.operations, one.largest) < std::tie(other.operations, other.largest)
             : std::tie(one.largest, one.operations) < std::tie(other.largest, other.operations);
}

}  // namespace tessera::optimizer
