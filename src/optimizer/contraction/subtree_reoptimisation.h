#pragma once

#include <vector>

#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// Improves an order: parts of its tree with up to eight leaves are ordered anew, exactly, until no
/// part can be improved or a bound on the number of trials is reached. The result is never worse
/// than the given order, in the sense of is_better (order_cost.h) for every part.
///
/// Deterministic. Cost: at most 3^8 / 2 splits per trial, and about twenty trials per tensor.
/// Source: Gray and Kourtis, Quantum 5, 410, 2021 (subtree reconfiguration).
std::vector<ContractionStep> with_subtrees_reoptimised(const TensorNetwork& network,
                                                       const std::vector<ContractionStep>& steps,
                                                       double most_elements);

}  // namespace tessera::optimizer
