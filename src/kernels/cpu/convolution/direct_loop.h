#pragma once

#include <cstddef>
#include <span>

#include "kernels/cpu/convolution/convolution.h"

namespace tessera::kernels {

/// The distance of a label's positions, in elements; 0 in an array that lacks it.
struct LabelSteps {
  int64_t data = 0;
  int64_t weights = 0;
  int64_t result = 0;
};

/// Computes a convolution of f32 element by element, without memory of its own: the fallback if a
/// library finds none. `steps` are by label.
void convolve_directly(std::span<const LabelRange> ranges, std::span<const LabelSteps> steps,
                       std::span<const expr::LabelNumber> out,
                       std::span<const expr::LabelNumber> over, const std::byte* data,
                       const std::byte* weights, std::byte* result, bool accumulate) noexcept;

}  // namespace tessera::kernels
