#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/isa/semiring_table.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// A matrix [lines, depth] in memory, with steps in elements.
struct SemiringOperand {
  const std::byte* data = nullptr;
  int64_t line_step = 0;
  int64_t depth_step = 0;
};

SpecialValues operator|(const SpecialValues& a, const SpecialValues& b);

/// Copies `num_lines` lines of `depth` elements into panels of `width` lines, one after another,
/// each [depth, width] dense. Lines that the last panel lacks are zeros.
void pack_panels(const SemiringOperand& from, int64_t num_lines, int64_t depth, int64_t width,
                 DType type, std::byte* to) noexcept;

/// True if no pair of such operands joins to NaN or -0, nor becomes one through a weight; for
/// logsumexp, if none joins to an infinity or NaN.
bool stays_ordinary(const SpecialValues& values, const SpecialValues& weights,
                    const SemiringEntry& entry) noexcept;

}  // namespace tessera::kernels
