#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::placement::two_phase {

/// The time of one stage by site, with its maximum. The maximum is recounted only if the last of
/// the busiest sites loses work, and is restored if that is taken back.
class StageLoads {
 public:
  explicit StageLoads(int32_t num_sites)
      : by_site_(static_cast<size_t>(num_sites), 0), num_busiest_(by_site_.size()) {}

  int64_t at(int32_t site) const { return by_site_[static_cast<size_t>(site)]; }

  int64_t most() {
    if (num_busiest_ == 0) {
      most_ = *std::max_element(by_site_.begin(), by_site_.end());
      num_busiest_ = static_cast<size_t>(std::count(by_site_.begin(), by_site_.end(), most_));
    }
    return most_;
  }

  /// Returns a lower bound on the busiest of the other sites.
  int64_t most_without(int32_t site) { return at(site) < most() ? most() : 0; }

  void add(int32_t site, int64_t more) {
    int64_t& load = by_site_[static_cast<size_t>(site)];
    num_busiest_ -= load == most_ ? 1 : 0;
    load += more;
    if (load > most_) {
      most_ = load;
      num_busiest_ = 0;
    }
    num_busiest_ += load == most_ ? 1 : 0;
  }

  /// Saves the maximum with all loads as they are; restore() returns to it after the loads are
  /// back.
  void keep() {
    kept_most_ = most();
    kept_num_busiest_ = num_busiest_;
  }
  void restore() {
    most_ = kept_most_;
    num_busiest_ = kept_num_busiest_;
  }

 private:
  std::vector<int64_t> by_site_;
  int64_t most_ = 0;    // an upper bound of all sites
  size_t num_busiest_;  // sites with that much; if 0, the busiest is unknown
  int64_t kept_most_ = 0;
  size_t kept_num_busiest_ = 0;
};

}  // namespace tessera::placement::two_phase
