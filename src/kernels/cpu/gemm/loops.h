#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// The strides of one label in the three operands of a product, in elements; 0 where the operand
/// has not got it.
struct GemmDim {
  enum class Kind : uint8_t { batch, m, n, k };
  Kind kind = Kind::batch;
  int64_t length = 1;
  int64_t a = 0;
  int64_t b = 0;
  int64_t c = 0;
};

/// A batch of matrix products as loops around one call of a matrix library: three dimensions go
/// into the call, the rest are looped over; a looped k adds to what is there.
struct GemmLoops {
  int num_loops = 0;
  std::array<GemmDim, kMaxLabels>
      loop;  // summed dimensions last, so that a result is finished before the next
  GemmDim m{GemmDim::Kind::m};
  GemmDim n{GemmDim::Kind::n};
  GemmDim k{GemmDim::Kind::k};

  int64_t num_calls() const;
};

/// Merges dimensions that all operands walk as one, and gives the call the largest that a matrix
/// library takes: in every matrix one of the two directions must have neighbours. `found` is false
/// where there is no such call.
GemmLoops plan_gemm(std::span<GemmDim> dims, bool& found) noexcept;

}  // namespace tessera::kernels
