#pragma once

#include <span>
#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// Sets labels to the first of their values. Returns false if one of them has none.
inline bool start(std::span<int64_t> labels, const std::vector<expr::LabelNumber>& which,
                  std::span<const LabelRange> ranges) noexcept {
  bool is_empty = false;
  for (const expr::LabelNumber label : which) {
    const LabelRange& range = ranges[static_cast<size_t>(label)];
    labels[static_cast<size_t>(label)] = range.begin;
    is_empty |= range.length == 0;
  }
  return !is_empty;
}

/// Moves labels to their next values in row-major order. Returns false after the last.
inline bool advance(std::span<int64_t> labels, const std::vector<expr::LabelNumber>& which,
                    std::span<const LabelRange> ranges) noexcept {
  for (size_t position = which.size(); position-- > 0;) {
    const auto label = static_cast<size_t>(which[position]);
    if (++labels[label] < ranges[label].begin + ranges[label].length) {
      return true;
    }
    labels[label] = ranges[label].begin;
  }
  return false;
}

}  // namespace tessera::kernels
