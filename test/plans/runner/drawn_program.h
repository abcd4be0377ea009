#pragma once

#include <cstdint>

#include "plans/runner/case_file.h"

namespace tessera::plans {

/// A program of a few statements that read each other's results in drawn ways (products under a
/// sum, element by element, by positions, reductions, transposed, on diagonals, broadcast) over
/// small integers, whose results are exact: any cuts, order and sites must give equal bits.
Case drawn_program(uint64_t seed);

}  // namespace tessera::plans
