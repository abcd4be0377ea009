#include "program/growing/known_plans.h"

#include <algorithm>
#include <utility>

namespace tessera::program {

namespace {

/// Versions of a recursion repeat few plans: those of a Kalman filter's 345 frames are 11.
constexpr size_t kMostPlans = 32;

}  // namespace

const KnownPlan* KnownPlans::find(const FrameShape& frame) {
  const auto found = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const Entry& entry) { return entry.frame == frame; });
  if (found == plans_.end()) {
    return nullptr;
  }
  found->last_used = ++num_uses_;
  return &found->plan;
}

void KnownPlans::keep(FrameShape frame, KnownPlan plan) {
  if (plans_.size() == kMostPlans) {
    plans_.erase(std::min_element(
        plans_.begin(), plans_.end(),
        [](const Entry& one, const Entry& other) { return one.last_used < other.last_used; }));
  }
  plans_.push_back({std::move(frame), std::move(plan), ++num_uses_});
}

}  // namespace tessera::program
