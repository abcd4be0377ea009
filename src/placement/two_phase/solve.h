#pragma once

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// The cheapest of the plans that the greedy planner makes by either way to decide ties and by one
/// rule alone, of a hash join's and of blocks of keys, improved by local search; one of blocks
/// where that costs hardly more. The greedy planner looks at one group at a time: where every
/// operand is needed by many it puts all on one site, or sends every result, as each step by itself
/// is cheaper so.
Plan planned(const Problem& problem);

/// A plan of the same kinds, at a small part of the time: without the local search, and with one
/// way of the greedy planner.
Plan sketched(const Problem& problem);

/// Hash join and hash aggregation (NoPlan in Two-phase §8): join groups of equal joined keys, and
/// each aggregation group, are dealt to the sites in turn. What has one operand stays where that
/// is.
Plan dealt_by_keys(const Problem& problem);

}  // namespace tessera::placement::two_phase
