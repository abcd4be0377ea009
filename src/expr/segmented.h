#pragma once

#include <vector>

#include "expr/monoid.h"

namespace tessera::expr {

/// A scan: its monoid, the merged element at a position, and the result of a state (over
/// Parameters, which are its entries).
struct Scanned {
  Monoid monoid;
  std::vector<Scalar> bodies;
  Scalar result;
};

/// Returns the scan that restarts wherever `segment` differs from its value at the position before,
/// in the order of the scan. NaN differs from everything.
///
/// The state of a run of positions is that of its last segment, with the first and the last value
/// of `segment` in it, whether they are of one segment, and whether there are any. So it is
/// associative, though it does not commute. An exclusive scan reads `segment` again for its result:
/// the position before may be of another segment.
Scanned segmented(const Scanned& scan, const Scalar& segment, bool is_exclusive);

}  // namespace tessera::expr
