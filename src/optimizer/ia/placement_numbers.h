#pragma once

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/ia/placement.h"

namespace tessera::optimizer {

/// Numbers of placements; equal placements have equal numbers.
class PlacementNumbers {
 public:
  size_t of(const ia::Placement& placement) {
    const size_t hash = ia::hash_of(placement);
    const auto [begin, end] = by_hash_.equal_range(hash);
    const auto known = std::find_if(
        begin, end, [&](const auto& each) { return placements_[each.second] == placement; });
    if (known != end) {
      return known->second;
    }
    by_hash_.emplace(hash, placements_.size());
    placements_.push_back(placement);
    return placements_.size() - 1;
  }

  /// Returns the placement of a number.
  const ia::Placement& at(size_t number) const { return placements_[number]; }

 private:
  std::vector<ia::Placement> placements_;
  std::unordered_multimap<size_t, size_t> by_hash_;
};

}  // namespace tessera::optimizer
