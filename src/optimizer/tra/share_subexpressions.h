#pragma once

#include <functional>

#include "expr/tile_program.h"

namespace tessera::optimizer {

/// Whether the second program is worth having instead of the first, which computes the same.
using IsBetter =
    std::function<bool(const expr::TileProgram& now, const expr::TileProgram& instead)>;

/// A program in which expressions that several statements compute are computed once, where that is
/// better. The softmax
///
///   t0[i] = max[j] x0[i,j]; t1[i] = sum[j] exp(x0[i,j] - t0[i]); o[i,j] = exp(x0[i,j] - t0[i]) /
///   t1[i]
///
/// becomes
///
///   t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - t0[i]); t2[i] = sum[j] t1[i,j]; o[i,j] =
///   t1[i,j] / t2[i]
///
/// An expression is a function or a conversion of what operands hold, the same operands at the same
/// labels. It becomes a statement of its own before the first that reads it, over the labels that
/// it mentions; where a statement computes just that already, the later ones read its result.
/// Larger expressions are tried before those within them, and of those that differ in what they
/// read only, one for all.
///
/// Every value is made by the same functions of the same values, so it has the same bits. That is
/// why f16 and bf16, which are rounded where they are stored, are not shared. In what order a sum
/// with a leaf runs follows from its statement, so nothing is shared that would make it another.
expr::TileProgram share_subexpressions(expr::TileProgram program, const IsBetter& is_better);

}  // namespace tessera::optimizer
