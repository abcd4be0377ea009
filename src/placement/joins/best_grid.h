#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/joins/contraction.h"

namespace tessera::placement::joins {

/// Sites in a grid along some labels of a join, runs of keys along each: of all grids that give the
/// busiest site the least to do, the one that moves the fewest bytes, of operands and of partial
/// sums. Nothing without labels. REQUIRES labels that are cut.
std::optional<ia::ByMap> best_grid(const Contraction& contraction,
                                   const std::vector<std::string>& labels);

}  // namespace tessera::placement::joins
