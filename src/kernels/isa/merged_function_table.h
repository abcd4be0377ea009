#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"

namespace tessera::kernels {

/// A block function whose results are merged in registers as they are made, where they would be
/// stored to a block and read again: the squares of a norm, the differences of a variance.
struct MergedFunction {
  const char* merge = nullptr;  // a function of two arguments
  BlockFunction function = nullptr;
  /// Bit a: argument a has one value in a block, of which `merged` reads the first element.
  uint32_t uniform_arguments = 0;
  /// Stores what generated/interface.h says of code that merges, in the same order.
  BlockFunction merged = nullptr;
};

/// Those of an instruction set.
std::span<const MergedFunction> merged_functions(Isa isa);

}  // namespace tessera::kernels
