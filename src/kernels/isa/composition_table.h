#pragma once

#include <span>

#include "kernels/block_function.h"

namespace tessera::kernels {

/// Two block functions in one: `outer` of arguments of which the one at `position` is the result of
/// `inner`. `composed` takes the arguments of `inner` in that one's place, and gives the same bits;
/// its inner values stay in registers, instead of being stored to a block and loaded again.
struct Composition {
  BlockFunction outer = nullptr;
  BlockFunction inner = nullptr;
  int32_t position = 0;
  BlockFunction composed = nullptr;
};

/// Returns the compositions of an instruction set. The inner function of one may be composed
/// itself.
std::span<const Composition> compositions(Isa isa);

}  // namespace tessera::kernels
