#pragma once

#include <cstdint>
#include <vector>

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// A problem in which tuples that every move treats alike are one tuple: the same join groups need
/// them, they may start anywhere, and they lie on one site (those of one run of join groups, say).
struct Condensed {
  Problem problem;
  std::vector<int32_t> tuple_of;  // by tuple: the tuple that it is part of

  /// Translates a plan of the one problem into a plan of the other. REQUIRES for the first that the
  /// homes are those that the problem was condensed with.
  Plan condensed(Plan plan) const;
  Plan whole(Plan plan) const;
};

/// Condenses a problem, in time of the lengths of the lists of tuples. A plan costs the same in
/// either.
Condensed condensed(const Problem& problem, const std::vector<int32_t>& home);

}  // namespace tessera::placement::two_phase
