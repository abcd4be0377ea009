#pragma once

#include <vector>

#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// True if the exact search takes a network: its tables have 2^n entries for n tensors, and it
/// divides products of extents, which have to be doubles.
bool can_order_exactly(const TensorNetwork& network);

/// Returns the best of all orders, outer products included (by is_better of order_cost.h); among
/// equals the one that takes tensors of low numbers together first.
///
/// Dynamic programming over subsets of the tensors. Cost: 3^n / 2 splits, in O(1) each.
/// REQUIRES can_order_exactly(network).
/// Source: Vance and Maier, SIGMOD 1996 (all splits of bit sets, Cartesian products included);
/// Pfeifer, Haegeman and Verstraete, Phys. Rev. E 90, 033315, 2014 (for tensor networks).
std::vector<ContractionStep> exact_order(const TensorNetwork& network, double most_elements);

}  // namespace tessera::optimizer
