#pragma once

#include <string>

#include "expr/tile_program.h"

namespace tessera::optimizer {

/// True if a kernel f of one array distributes over a merge element by element: f(a ⊕ b) = f(a) ⊕
/// f(b). It does if it only picks elements, or merges them by ⊕ itself: the row sums of a sum of
/// tiles are the sum of their row sums.
bool distributes_over(const expr::TileProgram& kernel, const expr::Monoid& monoid);

/// True if a kernel distributes over a function of two elements: the sums of a + b are the sums of
/// a and of b, added.
bool distributes_over(const expr::TileProgram& kernel, const std::string& function);

}  // namespace tessera::optimizer
