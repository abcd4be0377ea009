#pragma once

#include <optional>
#include <vector>

#include "optimizer/ia/placement_memo.h"

namespace tessera::optimizer {

/// Makes the placed program of these alternatives, by relation of the memo. Each alternative reads
/// its inputs where theirs make them, and each reader gets its own moves. Returns nothing if an
/// operator cannot be done there, which may happen if an alternative was chosen for other
/// alternatives of its inputs.
std::optional<ia::Graph> chosen_graph(const PlacementMemo& memo,
                                      const std::vector<size_t>& alternatives);

}  // namespace tessera::optimizer
