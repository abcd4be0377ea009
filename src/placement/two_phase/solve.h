#pragma once

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// Returns the cheapest of several plans, improved by local search: those of the greedy planner, by
/// each choice between ties and by one rule alone; that of a hash join; and those of blocks of
/// keys. Prefers one of blocks if it costs hardly more. The greedy planner sees one group at a
/// time: if many groups need every operand it puts all on one site, or sends every result, because
/// each step by itself is cheaper.
Plan planned(const Problem& problem);

/// Returns a plan of the same kinds in a small part of the time: without the local search, and with
/// one choice between ties in the greedy planner.
Plan sketched(const Problem& problem);

/// Plans a hash join and a hash aggregation (NoPlan in Two-phase §8): join groups of equal joined
/// keys, and each aggregation group, are dealt to the sites in turn. A join group with one operand
/// stays at it.
Plan dealt_by_keys(const Problem& problem);

}  // namespace tessera::placement::two_phase
