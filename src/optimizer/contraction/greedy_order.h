#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// The parameters of a greedy search that strays from the plain one.
struct GreedyVariation {
  double operand_weight = 1;  // weight of the operands that go away
  double temperature = 0;     // of the noise, as a factor of the sizes' logarithm; 0: none
  uint64_t seed = 0;          // of the noise
};

struct GreedyOrder {
  std::vector<ContractionStep> steps;
  int64_t labels_read = 0;  // of all pairs that were looked at: a measure of the time
};

/// Finds an order in which to contract the tensors, two at a time.
///
/// The next pair shares a label and has the least size(result) - size(left) - size(right); equal
/// costs go to the pair of the lowest numbers. Tensors that share no label are multiplied at the
/// end, small ones first. A variation orders pairs by the logarithm of that (with the operands
/// weighted) less Gumbel noise, which draws a pair with a probability that falls with its cost. The
/// search is given up, without steps, once it exceeds `most_operations`. Deterministic. Cost: p log
/// p for p pairs that share a label.
/// Source: Smith and Gray, opt_einsum, JOSS 3(26), 2018 (path "greedy"); Gray and Kourtis, Quantum
/// 5, 410, 2021 (the noise).
GreedyOrder greedy_order(const TensorNetwork& network, const GreedyVariation& variation,
                         double most_operations = std::numeric_limits<double>::infinity());

}  // namespace tessera::optimizer
