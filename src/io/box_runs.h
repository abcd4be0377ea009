#pragma once

#include <cstdint>
#include <vector>

#include "types/shape.h"

namespace tessera::io {

/// Where the elements of a box lie in a row-major array on disk, in elements.
///
/// They are groups of `count` runs; a run is `length` elements that are contiguous in the array and
/// begins `pitch` elements after the one before it in its group. Groups follow one another in the
/// order of the box, so a dense buffer of the box takes the runs one after the other.
struct BoxRuns {
  int64_t length = 0;
  int64_t pitch = 0;
  int64_t count = 0;
  int64_t num_groups = 0;

  /// Where the first run of a group begins in the array.
  int64_t group_begin(int64_t group) const;

  int64_t first = 0;      // group_begin(0)
  Shape group_extents;    // the box's extents in the modes that no group spans
  Strides group_strides;  // of the array, for those modes
};

/// The longest runs of a box. REQUIRES the box inside the shape and not empty.
BoxRuns runs_of(const Shape& shape, const Box& box);

/// Cuts a box into blocks of at most `max_elements` elements, of which at most `max_run` along the
/// last mode; the last modes are kept whole first. In row-major order of the blocks.
/// REQUIRES max_elements >= 1 and max_run >= 1. An empty box has no blocks.
std::vector<Box> blocks_of(const Box& box, int64_t max_elements, int64_t max_run);

}  // namespace tessera::io
