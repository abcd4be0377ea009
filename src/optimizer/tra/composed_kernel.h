#pragma once

#include "expr/tile_program.h"

namespace tessera::optimizer {

/// One kernel that does what two do one after the other. Labels of one name and extent are one; of
/// two that differ in extent the first's gets another name. REQUIRES that the second reads what the
/// first makes, and nothing else.
expr::TileProgram composed_kernel(const expr::TileProgram& first, const expr::TileProgram& second);

}  // namespace tessera::optimizer
