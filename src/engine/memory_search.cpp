#include "engine/memory_search.h"

#include <utility>

#include "plan/memory.h"

namespace tessera::engine {

namespace {

/// Tiles of fewer bytes cost more to manage than to compute.
constexpr int64_t kLeastCallBytes = int64_t{64} << 10;

int64_t need_of(const Lowered& lowered) {
  return plan::smallest_budget(*lowered.tasks).bytes;
}

bool runs_well(const Lowered& lowered, int64_t budget, int64_t workers) {
  return lowered.tasks->peak_bytes <= budget || need_of(lowered) <= budget / (workers + 1);
}

int64_t power_of_two_below(int64_t bytes) {
  int64_t power = 1;
  while (power <= (bytes - 1) / 2) {
    power *= 2;
  }
  return power;
}

}  // namespace

Lowered lower_within_budget(const LowerWithin& lower, int64_t budget, int64_t workers) {
  Lowered best = *lower(std::nullopt);
  if (!best.tasks || runs_well(best, budget, workers)) {
    return best;
  }
  for (int64_t bound = power_of_two_below(need_of(best)); bound >= kLeastCallBytes; bound /= 2) {
    std::optional<Lowered> finer = lower(bound);
    if (!finer) {
      break;
    }
    if (runs_well(*finer, budget, workers)) {
      return std::move(*finer);
    }
    if (need_of(*finer) < need_of(best)) {
      best = std::move(*finer);
    }
  }
  plan::check_budget(*best.tasks, budget);
  return best;
}

}  // namespace tessera::engine
