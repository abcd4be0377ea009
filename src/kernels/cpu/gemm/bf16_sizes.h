#pragma once

#include <cstdint>

namespace tessera::kernels {

/// The sizes of a product of matrices whose numbers are split into parts, c[m, n] = a[m, k] * b[k,
/// n].
struct Bf16Sizes {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  int64_t num_parts = 1;
  int64_t c_step = 1;  // from a row of c to the next
  bool accumulate = false;
};

/// A matrix of f32 whose columns are neighbours.
struct Rows {
  float* first = nullptr;
  int64_t step = 0;  // from a row to the next, in elements
};

}  // namespace tessera::kernels
