#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimizer/ia/placement_memo.h"

namespace tessera::optimizer {

/// A way for every relation of a memo, so that all find what they want.
struct PlanChoice {
  std::vector<size_t> ways;  // by relation; of inputs 0: they are read where they are wanted
  double bytes = 0;
  int64_t num_steps = 0;    // ways that were tried
  bool is_bounded = false;  // more partial plans were there than were kept
};

/// The plan of a memo that moves the fewest bytes, of equals one of few nodes.
///
/// It goes through the relations in the order of the program. Of all plans for the relations so far
/// it keeps the cheapest for each state: where those lie that are still to be read, and where they
/// were moved to already, so that a move that several want is paid once. This is exact where no
/// more than `most_states` are there; else the cheapest so many are kept, and the program's own,
/// which always goes on: others may find nothing where they left it. Deterministic.
PlanChoice cheapest_plan(PlacementMemo& memo, size_t most_states);

}  // namespace tessera::optimizer
