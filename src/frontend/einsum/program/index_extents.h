#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/einsum/program/resolved.h"

namespace tessera::frontend {

/// Gives labels the largest extents with which no computed index without a pad is out of range:
/// labels that have none yet, and labels of the left side whose extent no `label` declares. Where a
/// label gets fewer positions than a mode that it reads alone has, these are the first of them.
void give_largest_extents(ResolvedExpression& expression);

/// A computed index without a pad that is out of range, the first time that it is.
struct OutOfRange {
  std::string tensor;
  int64_t extent = 0;                                  // of the mode
  int64_t position = 0;                                // outside of it
  std::vector<std::pair<LabelIndex, int64_t>> labels;  // where
  SourceSpan span;
};

/// REQUIRES that all labels have extents.
std::vector<OutOfRange> reads_out_of_range(const ResolvedExpression& expression);

}  // namespace tessera::frontend
