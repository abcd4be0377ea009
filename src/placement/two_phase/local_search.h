#pragma once

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// The most work of a search, counted in join groups that are moved on trial.
inline constexpr int64_t kMostMoves = int64_t{1} << 16;
/// The most counters. The search counts the join groups of each site that need each tuple. Beyond
/// this many pairs it would take more memory than a plan is worth, and is left out.
inline constexpr int64_t kMostCounts = int64_t{1} << 27;

struct Improved {
  Plan plan;
  int64_t num_moves = 0;    // tried
  bool is_bounded = false;  // it stopped at its bound
};

/// Improves a plan without raising its cost. Moves one join group, one aggregation group, or one
/// with its join groups at a time to another site, and exchanges two such, as long as a move makes
/// the plan cheaper or moves less at the same cost. If none does, it moves a few groups anyway, and
/// goes on from there or, if that led to nothing better, from before. Ends after many such kicks in
/// vain, or after `most_moves` and the few that the last step takes.
///
/// REQUIRES a plan that assigns all. Deterministic: moves are drawn with a fixed seed.
Improved improved(const Problem& problem, Plan plan, int64_t most_moves = kMostMoves);

}  // namespace tessera::placement::two_phase
