#pragma once

#include <functional>

#include "expr/tile_program.h"

namespace tessera::optimizer {

/// A predicate: true if the second program, which computes the same, should replace the first.
using IsBetter =
    std::function<bool(const expr::TileProgram& now, const expr::TileProgram& instead)>;

/// Computes expressions that several statements of a program share only once, if that is better.
/// The softmax
///
///   t0[i] = max[j] x0[i,j]; t1[i] = sum[j] exp(x0[i,j] - t0[i]); o[i,j] = exp(x0[i,j] - t0[i]) /
///   t1[i]
///
/// becomes
///
///   t0[i] = max[j] x0[i,j]; t1[i,j] = exp(x0[i,j] - t0[i]); t2[i] = sum[j] t1[i,j]; o[i,j] =
///   t1[i,j] / t2[i]
///
/// An expression is a function or a conversion of operands' elements, the same operands at the same
/// labels. It becomes a statement of its own before the first that reads it, over the labels that
/// it mentions; if a statement computes just that already, the later ones read its result. Larger
/// expressions are tried before those within them. Among expressions that differ only in their
/// operands, one is tried for all.
///
/// Every value is made by the same functions of the same values, so it has the same bits. That is
/// why f16 and bf16 are not shared: they are rounded where they are stored. The order of a sum with
/// a leaf follows from its statement, so sharing that would change it is left out.
expr::TileProgram share_subexpressions(expr::TileProgram program, const IsBetter& is_better);

}  // namespace tessera::optimizer
