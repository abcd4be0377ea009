#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/einsum/program/resolved.h"

namespace tessera::frontend {

/// An extent above that of any tensor.
inline constexpr int64_t kMostConcat = int64_t{1} << 60;

/// Returns the number of positions that concat joins, at most kMostConcat; nothing if a part has no
/// extent yet.
std::optional<int64_t> length_of(const ResolvedConcat& concat,
                                 const ResolvedExpression& expression);

/// Gives labels the largest extents with which no computed index without a pad is out of range:
/// labels that have none yet, and labels of the left side whose extent is not fixed. If a label
/// gets fewer positions than a mode that it reads alone, it reads the first of them. A label
/// without an extent that concat joins along gets the joined length.
void give_largest_extents(ResolvedExpression& expression);

/// A computed index without a meaning, at its first faulty position.
struct UnsoundIndex {
  enum class Fault : uint8_t {
    out_of_range,  // and has no pad
    no_element,    // in an empty mode, whose elements a pad repeats
    too_large      // for a number of 64 bits
  };

  Fault fault = Fault::out_of_range;
  std::string tensor;
  int64_t extent = 0;                                  // of the mode
  int64_t position = 0;                                // the one outside
  std::vector<std::pair<LabelIndex, int64_t>> labels;  // at which it faults
  SourceSpan span;
};

/// Returns all unsound indices. REQUIRES that all labels have extents.
std::vector<UnsoundIndex> unsound_indices(const ResolvedExpression& expression);

}  // namespace tessera::frontend
