#include "program/runs/known_plans.h"

#include <algorithm>
#include <utility>

namespace tessera::program {

namespace {

/// Versions of a recursion repeat few plans: those of a Kalman filter's 345 frames are 11.
constexpr size_t kMostPlans = 32;
/// Plans of more tasks take longer to run than to make, and more memory than they are worth.
constexpr size_t kMostTasks = 512;

}  // namespace

std::string KnownPlans::key_of(const std::string& text,
                               const std::map<std::string, ArrayType>& inputs) {
  std::string key = text;
  for (const auto& [name, type] : inputs) {
    key += name + " = " + to_string(type) + "\n";
  }
  return key;
}

const KnownPlan* KnownPlans::find(const std::string& key) {
  const auto found = plans_.find(key);
  if (found == plans_.end()) {
    return nullptr;
  }
  found->second.last_used = ++num_uses_;
  return &found->second.plan;
}

bool KnownPlans::may_keep(const engine::Plan& plan) {
  return plan.tasks.tasks.size() <= kMostTasks;
}

void KnownPlans::keep(const std::string& key, KnownPlan plan) {
  if (plans_.size() == kMostPlans) {
    plans_.erase(
        std::min_element(plans_.begin(), plans_.end(), [](const auto& one, const auto& other) {
          return one.second.last_used < other.second.last_used;
        }));
  }
  plans_[key] = {std::move(plan), ++num_uses_};
}

}  // namespace tessera::program
