#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/einsum/program/resolved.h"

namespace tessera::frontend {

/// No tensor is as long as this.
inline constexpr int64_t kMostConcat = int64_t{1} << 60;

/// The positions of all that concat joins, at most kMostConcat; nothing where one has no extent
/// yet.
std::optional<int64_t> length_of(const ResolvedConcat& concat,
                                 const ResolvedExpression& expression);

/// Gives labels the largest extents with which no computed index without a pad is out of range:
/// labels that have none yet, and labels of the left side whose extent is not fixed. Where a
/// label gets fewer positions than a mode that it reads alone has, these are the first of them. A
/// label without one that concat joins along gets all that is joined.
void give_largest_extents(ResolvedExpression& expression);

/// A computed index that has no meaning, the first time that it has none.
struct UnsoundIndex {
  enum class Fault : uint8_t {
    out_of_range,  // and no pad says what is there
    no_element,    // of an empty mode, whose elements a pad repeats
    too_large      // for a number of 64 bits
  };

  Fault fault = Fault::out_of_range;
  std::string tensor;
  int64_t extent = 0;                                  // of the mode
  int64_t position = 0;                                // outside of it
  std::vector<std::pair<LabelIndex, int64_t>> labels;  // where
  SourceSpan span;
};

/// REQUIRES that all labels have extents.
std::vector<UnsoundIndex> unsound_indices(const ResolvedExpression& expression);

}  // namespace tessera::frontend
