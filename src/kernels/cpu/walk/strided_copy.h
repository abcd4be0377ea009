#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/walk/strided_box.h"

namespace tessera::kernels {

/// Moves the elements of a box, `element_size` bytes each (1, 2, 4, 8 or 16). A read step of 0
/// repeats an element. Neighbouring dimensions that are walked as one are merged; two that cross
/// (read along one, written along the other) are transposed in small squares held in registers.
/// REQUIRES no overlap of what is read and written. Threads: any number on distinct targets. No
/// allocation.
void copy_box(const std::byte* from, std::byte* to, int64_t element_size, StridedBox box) noexcept;

}  // namespace tessera::kernels
