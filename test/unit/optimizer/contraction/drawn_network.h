#pragma once

#include <cstdint>

#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

struct NetworkDrawing {
  int32_t num_tensors = 5;
  int32_t num_labels = 8;
  int64_t largest_extent = 6;
  uint64_t seed = 0;
};

/// A random network: labels of one tensor, of two, of many, in the output and not; now and then a
/// tensor without labels or one that stands there twice. Every label is in some tensor.
TensorNetwork drawn_network(const NetworkDrawing& drawing);

/// A chain of matrices with random extents of 2 to 60.
TensorNetwork drawn_chain(int32_t num_matrices, uint64_t seed);

/// Fails the test where steps are no order of the network: a tensor used twice or never, a label
/// that is dropped too early or kept too long.
void expect_valid(const TensorNetwork& network, const std::vector<ContractionStep>& steps);

}  // namespace tessera::optimizer
