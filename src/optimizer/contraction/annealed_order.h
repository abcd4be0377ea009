#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// Moves of an annealing that take about so many seconds: a fixed rate by the number of labels, as
/// measured on a core of 2023, whatever the machine at hand. 0 for networks whose label sets would
/// take more than 128 MiB.
int64_t num_moves(const TensorNetwork& network, double seconds);

/// Improves an order by simulated annealing: a move exchanges two neighbouring contractions,
/// (A B) C for (A C) B, and is taken where the two cost less operations, or more with a probability
/// that falls with the logarithm of the quotient and with time. An intermediate above
/// `most_elements` costs as if it took the square of the excess in operations. Moves are shared out
/// to up to four runs, each from the best order so far, with the parts of its tree ordered anew at
/// the end (subtree_reoptimisation.h). Never worse than what it is given, in the sense of is_better
/// (order_cost.h).
///
/// REQUIRES three tensors or more, and steps that contract them into one. Deterministic: a function
/// of its arguments, in which nothing looks at a clock, no function of the C library takes part and
/// the seed is fixed, so that all machines find the same.
/// Source: Kirkpatrick et al., Science 220, 671, 1983; Kalachev, Panteleev and Yung,
/// arXiv:2108.05665 (the moves).
std::vector<ContractionStep> annealed_order(const TensorNetwork& network,
                                            std::vector<ContractionStep> steps,
                                            double most_elements, int64_t moves);

}  // namespace tessera::optimizer
