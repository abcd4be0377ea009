#include "optimizer/contraction/contraction_order.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "optimizer/contraction/annealed_order.h"
#include "optimizer/contraction/contraction_tree.h"
#include "optimizer/contraction/exact_order.h"
#include "optimizer/contraction/greedy_order.h"
#include "optimizer/contraction/subtree_reoptimisation.h"

namespace tessera::optimizer {

namespace {

constexpr int64_t kMostVariations = 64;
constexpr int64_t kMostLabelsRead = 4'000'000;  // in all variations: some tenths of a second
constexpr double kMostTimesTheBest =
    8;                              // times the operations of the best: a variation is given up
constexpr size_t kNumImproved = 4;  // greedy orders that are reoptimised
constexpr size_t kMostImprovedTensors = 100;  // above, only the best one is

/// Variation 0 is the plain search; the others sweep weights and temperatures.
GreedyVariation variation(int64_t number) {
  if (number == 0) {
    return {};
  }
  constexpr double kWeights[] = {1, 0.5, 2, 0, 4};
  const auto place = static_cast<size_t>(number);
  return {kWeights[place % std::size(kWeights)], std::exp2(-6.0 + static_cast<double>(number % 8)),
          static_cast<uint64_t>(number)};
}

struct PricedOrder {
  std::vector<ContractionStep> steps;
  OrderCost cost;
};

/// Returns the plain order and its variations, the best first.
std::vector<PricedOrder> greedy_orders(const TensorNetwork& network, double most_elements) {
  std::vector<PricedOrder> orders;
  int64_t labels_read = 0;
  double fewest_operations = std::numeric_limits<double>::infinity();
  for (int64_t number = 0; number <= kMostVariations && labels_read < kMostLabelsRead; ++number) {
    GreedyOrder order =
        greedy_order(network, variation(number), kMostTimesTheBest * fewest_operations);
    labels_read += order.labels_read;
    if (!order.steps.empty()) {
      const OrderCost cost = cost_of(network, order.steps);
      fewest_operations = std::min(fewest_operations, cost.operations);
      orders.push_back({std::move(order.steps), cost});
    }
  }
  std::stable_sort(orders.begin(), orders.end(), [&](const PricedOrder& a, const PricedOrder& b) {
    return is_better(a.cost, b.cost, most_elements);
  });
  return orders;
}

PricedOrder searched_order(const TensorNetwork& network, double most_elements) {
  std::vector<PricedOrder> orders = greedy_orders(network, most_elements);
  orders.resize(
      std::min(orders.size(), network.tensors.size() > kMostImprovedTensors ? 1 : kNumImproved));
  PricedOrder best{ContractionTree(network, orders.front().steps).steps(), orders.front().cost};
  for (const PricedOrder& order : orders) {
    PricedOrder improved{with_subtrees_reoptimised(network, order.steps, most_elements), {}};
    improved.cost = cost_of(network, improved.steps);
    if (is_better(improved.cost, best.cost, most_elements)) {
      best = std::move(improved);
    }
  }
  return best;
}

PricedOrder annealed(const TensorNetwork& network, PricedOrder order,
                     const ContractionOptions& options) {
  const std::vector<ContractionStep> steps =
      annealed_order(network, std::move(order.steps), options.most_elements,
                     num_moves(network, options.effort_seconds));
  order.steps = ContractionTree(network, steps).steps();
  order.cost = cost_of(network, order.steps);
  return order;
}

}  // namespace

ContractionOrder contraction_order(const TensorNetwork& network,
                                   const ContractionOptions& options) {
  ContractionOrder order;
  order.is_exact = network.tensors.size() < 2 || can_order_exactly(network);
  if (order.is_exact) {
    order.steps = exact_order(network, options.most_elements);
    order.cost = cost_of(network, order.steps);
  } else {
    PricedOrder found = searched_order(network, options.most_elements);
    if (options.effort_seconds > 0) {
      found = annealed(network, std::move(found), options);
    }
    order.steps = std::move(found.steps);
    order.cost = found.cost;
  }
  order.fits = order.cost.largest <= options.most_elements;
  return order;
}

}  // namespace tessera::optimizer
