#pragma once

#include <string>

#include "expr/tile_program.h"

namespace tessera::optimizer {

/// Whether a kernel f of one array distributes over a merge element by element:
/// f(a ⊕ b) = f(a) ⊕ f(b). It does where it only picks elements, and where it merges them by ⊕
/// itself: a sum of rows of a sum of tiles is the sum of their sums of rows.
bool distributes_over(const expr::TileProgram& kernel, const expr::Monoid& monoid);

/// The same over a function of two elements: the sums of a + b are the sums of a and of b, added.
bool distributes_over(const expr::TileProgram& kernel, const std::string& function);

}  // namespace tessera::optimizer
