#pragma once

#include "expr/tile_program.h"

namespace tessera::optimizer {

/// Composes two kernels that run one after the other into one. Labels of one name and extent become
/// one; if two differ in extent, the first's is renamed. REQUIRES that the second reads the first's
/// result and nothing else.
expr::TileProgram composed_kernel(const expr::TileProgram& first, const expr::TileProgram& second);

}  // namespace tessera::optimizer
