#pragma once

#include <limits>
#include <vector>

#include "optimizer/contraction/order_cost.h"
#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

struct ContractionOptions {
  double most_elements = std::numeric_limits<double>::infinity();  // of an intermediate
  /// Seconds of annealing beyond the usual search, as a number of moves at a fixed rate
  /// (num_moves).
  double effort_seconds = 0;
};

struct ContractionOrder {
  std::vector<ContractionStep> steps;
  OrderCost cost;
  bool fits = true;       // every intermediate is within the bound
  bool is_exact = false;  // no order is better
};

/// Finds an order in which to contract the tensors, two at a time: the fewest operations with no
/// intermediate above the bound. If no order that was found fits, returns the one with the smallest
/// largest intermediate.
///
/// Up to twelve tensors are ordered exactly. Above that, it takes the best of a greedy search and
/// its random variations, reoptimises its subtrees, and anneals it if effort is given.
/// Deterministic: bounded by counts, with fixed seeds. Never more operations than the plain greedy
/// order, if that one fits, and never a worse order with effort than without.
ContractionOrder contraction_order(const TensorNetwork& network, const ContractionOptions& options);

}  // namespace tessera::optimizer
