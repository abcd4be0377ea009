#pragma once

#include <optional>
#include <vector>

#include "optimizer/ia/placement_memo.h"

namespace tessera::optimizer {

/// The program of a memo with these ways, by relation: what they read is read where the ways make
/// it, moves are made for each reader. Nothing where one cannot be done there, as may be where a
/// way was chosen for other ways of what it reads.
std::optional<ia::Graph> chosen_graph(const PlacementMemo& memo, const std::vector<size_t>& ways);

}  // namespace tessera::optimizer
