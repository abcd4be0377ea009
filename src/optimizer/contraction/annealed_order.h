#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// Returns the number of annealing moves that take about this many seconds, at a fixed rate by the
/// number of labels that was measured on a core of 2023, so that all machines make equal moves. 0
/// for networks whose label sets would take more than 128 MiB.
int64_t num_moves(const TensorNetwork& network, double seconds);

/// Improves an order by simulated annealing: a move exchanges two neighbouring contractions, (A B)
/// C for (A C) B, and is taken if the two cost fewer operations, or more with a probability that
/// falls with the logarithm of the quotient and with time. An intermediate above `most_elements`
/// costs as if it took the square of the excess in operations. Moves are shared out to up to four
/// runs, each from the best order so far, with the parts of its tree ordered anew at the end
/// (subtree_reoptimisation.h). The result is never worse than the given order, in the sense of
/// is_better (order_cost.h).
///
/// REQUIRES three tensors or more, and steps that contract them into one. Deterministic on all
/// machines: it reads no clock, uses no function of the C library and has a fixed seed.
/// Source: Kirkpatrick et al., Science 220, 671, 1983; Kalachev, Panteleev and Yung,
/// arXiv:2108.05665 (the moves).
std::vector<ContractionStep> annealed_order(const TensorNetwork& network,
                                            std::vector<ContractionStep> steps,
                                            double most_elements, int64_t moves);

}  // namespace tessera::optimizer
