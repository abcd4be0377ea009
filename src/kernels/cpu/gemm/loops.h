#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// The strides of one label in the three operands of a product, in elements; 0 in an operand that
/// lacks it.
struct GemmDim {
  enum class Kind : uint8_t { batch, m, n, k };
  Kind kind = Kind::batch;
  int64_t length = 1;
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
};

/// The loops by which a library of matrix products computes a product of tensors.
///
/// A call of the library has three dimensions: m (rows of the result), n (its columns) and k (which
/// is summed). A product of tensors has more. Three go into the call; around it there is a loop for
/// each of the others. Calls along a looped k add to the same result.
struct GemmLoops {
  int num_loops = 0;
  std::array<GemmDim, kMaxLabels>
      loop;  // summed dimensions last, so that a result is finished before the next
  GemmDim m{GemmDim::Kind::m};
  GemmDim n{GemmDim::Kind::n};
  GemmDim k{GemmDim::Kind::k};

  int64_t num_calls() const;
};

/// Chooses the three dimensions of the call. Dimensions that all operands walk as if they were one
/// are merged first; then the largest are taken that a library can run: in every matrix, rows or
/// columns must be contiguous. `found` is false if there are none.
GemmLoops plan_gemm(std::span<GemmDim> dims, bool& found) noexcept;

}  // namespace tessera::kernels
