#pragma once

#include <vector>

#include "expr/monoid.h"

namespace tessera::expr {

/// A scan as its monoid, what is merged at a position, and the result of a state (over Parameters,
/// which are its entries).
struct Scanned {
  Monoid monoid;
  std::vector<Scalar> bodies;
  Scalar result;
};

/// The scan that begins anew wherever `segment` differs from what it was at the position before, in
/// the order of the scan. NaN differs from everything.
///
/// The state of the positions of a run of the scan is that of its last segment, with the first and
/// the last value of `segment` in it, whether they are of one segment, and whether there are any.
/// So it is associative, though it does not commute. An exclusive scan reads `segment` again for
/// its result: what lies before the position may be of another segment.
Scanned segmented(const Scanned& scan, const Scalar& segment, bool is_exclusive);

}  // namespace tessera::expr
