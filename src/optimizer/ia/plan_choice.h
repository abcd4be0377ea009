#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimizer/ia/placement_memo.h"

namespace tessera::optimizer {

/// A choice of an alternative for every relation of a memo, with all required inputs available.
struct PlanChoice {
  std::vector<size_t>
      alternatives;  // by relation; 0 for inputs: they are read where they are needed
  double bytes = 0;
  int64_t num_steps = 0;    // alternatives that were tried
  bool is_bounded = false;  // some partial plans were dropped
};

/// Finds the plan of a memo that moves the fewest bytes; among equals one with few nodes.
///
/// Goes through the relations in the order of the program. Among the plans for the relations so far
/// it keeps the cheapest of each state: where the relations lie that are still to be read, and
/// where they were moved already, so that a move that several readers need is paid once. This is
/// exact with at most `most_states` states. Beyond that, it keeps the cheapest `most_states` and
/// the program's own plan, which can always go on, while others may lack a required input.
/// Deterministic.
PlanChoice cheapest_plan(PlacementMemo& memo, size_t most_states);

}  // namespace tessera::optimizer
