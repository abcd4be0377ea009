#pragma once

#include <optional>

#include "kernels/cpu/walk/gemm_labels.h"
#include "kernels/isa/semiring_table.h"

namespace tessera::kernels {

struct Context;

/// A statement read as a semiring product: c[batch, m, n] = merge over k of of_join(join(a[batch,
/// m, k], b[batch, k, n])), maybe times weights [batch, m, k] or [batch, k, n] that may lack
/// labels.
struct SemiringProduct {
  GemmLabels labels;  // if `m` or `n` has the output's innermost label, it is `n`
  std::optional<expr::Access> weights;
  const SemiringEntry* entry = nullptr;
};

/// Reads a program's only statement as a semiring product that tiles are compiled for, or returns
/// why it is none.
OrRefusal<SemiringProduct> read_as_semiring(const expr::TileProgram& program,
                                            const CallShape& shape, const Context& context);

}  // namespace tessera::kernels
