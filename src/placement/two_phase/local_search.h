#pragma once

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// Work of a search is counted in join groups that are moved to try something.
inline constexpr int64_t kMostMoves = int64_t{1} << 16;
/// It counts the join groups of a site that need a tuple, for each of both. Of more pairs it would
/// take more memory than a plan is worth, and is left out.
inline constexpr int64_t kMostCounts = int64_t{1} << 27;

struct Improved {
  Plan plan;
  int64_t num_moves = 0;    // tried
  bool is_bounded = false;  // it stopped at its bound
};

/// A plan that costs no more, by moving one join group, one aggregation group, or one with its join
/// groups at a time to another site, and by exchanging two such, as long as a move makes the plan
/// cheaper or moves less at the same cost. Where none does, a few are moved all the same, and it
/// goes on from there or, where that led to nothing better, from before. Ends after many of these
/// in vain, or after `most_moves` and the few that the last step takes.
///
/// REQUIRES a plan that assigns all. Deterministic: what is tried is drawn with a fixed seed.
Improved improved(const Problem& problem, Plan plan, int64_t most_moves = kMostMoves);

}  // namespace tessera::placement::two_phase
