#pragma once

#include <array>
#include <optional>

#include "kernels/context.h"
#include "kernels/cpu/masked/masked_reading.h"

namespace tessera::kernels {

/// A label that a call is cut along, into parts of equal length and a shorter rest; without one
/// there is one part.
struct Cut {
  std::optional<expr::LabelNumber> label;
  int64_t length = 1;  // of a part
  int64_t parts = 1;   // of that length
  int64_t rest = 0;    // length of one more part, if not 0
};

/// The plans of blocks of one size.
struct BlockPlan {
  KernelPlan masked;
  KernelPlan product;
  KernelPlan evaluated;  // the statement itself
};

/// The plan of a masked product: blocks of some rows and some depth. Products and statements
/// accumulate.
struct MaskedPlan {
  MaskedProduct parts;
  Cut rows;   // of the outermost label of the result
  Cut depth;  // of a summed label
  /// Indexed by whether the rows, and then whether the depth, are the rest.
  std::array<std::array<std::optional<BlockPlan>, 2>, 2> blocks;
  std::array<std::optional<KernelPlan>, 2> finiteness;  // by whether the depth is the rest
  int64_t copy_bytes = 0;                               // of the masked factor, of a block
  int64_t kernel_bytes = 0;                             // the workspace of any kernel
  Cost cost;                                            // as if no block were left out
};

/// Plans a program, or returns why the kernel does not run it.
OrRefusal<MaskedPlan> plan_masked(const expr::TileProgram& program, const CallShape& shape,
                                  const Context& context);

}  // namespace tessera::kernels
