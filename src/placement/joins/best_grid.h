#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/joins/contraction.h"

namespace tessera::placement::joins {

/// Lays sites out in a grid along some labels of a join, with runs of keys along each. Among the
/// grids that give the busiest site the least work, it returns the one that moves the fewest bytes,
/// of operands and of partial sums. Nothing without labels. REQUIRES labels that are cut.
std::optional<ia::ByMap> best_grid(const Contraction& contraction,
                                   const std::vector<std::string>& labels);

}  // namespace tessera::placement::joins
