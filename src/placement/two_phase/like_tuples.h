#pragma once

#include <cstdint>
#include <vector>

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// A problem in which tuples are one that every move treats alike, as those of one run of join
/// groups are: the same join groups need them, they may start anywhere, and lie on one site.
struct Condensed {
  Problem problem;
  std::vector<int32_t> tuple_of;  // of every tuple, the one that it is part of

  /// A plan for the one as a plan for the other. REQUIRES for the first that the homes are those
  /// that it was condensed with.
  Plan condensed(Plan plan) const;
  Plan whole(Plan plan) const;
};

/// Takes time in the lengths of the lists of tuples. A plan costs the same in either.
Condensed condensed(const Problem& problem, const std::vector<int32_t>& home);

}  // namespace tessera::placement::two_phase
