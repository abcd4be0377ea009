#include "engine/forecast/memory_forecast.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/candidates/candidate.h"
#include "engine/planning/frame_plans.h"
#include "engine/planning/program_size.h"
#include "plan/memory.h"
#include "plan/paging.h"

namespace tessera::engine {

namespace {

/// Forecasts tasks. A plan that fits and has one worker is run one task at a time, unless other
/// processes wait for it.
MemoryForecast forecast_of(const plan::TaskGraph& tasks, const plan::Held& held,
                           const Setup& setup) {
  const Budget& budget = setup.budget();
  const bool is_serial = budget.workers == 1 && setup.link() == nullptr;
  const plan::MemoryProof proof = plan::largest_proof(tasks);
  const int64_t serial = proof.peak.at_most;
  const int64_t left = left_by(tasks, held.bytes, budget).bytes;
  return {tasks.spaces.size(), is_serial ? std::min(left, serial) : left, serial, serial <= left,
          plan::forecast_paging(tasks, std::max(left, proof.smallest_budget)).spilled_bytes};
}

}  // namespace

void check_fits(const Stages& stages, const Setup& setup) {
  std::optional<plan::Shortage> most;
  for_each_frame(stages, setup, [&](const FramePlan& part) {
    const plan::TaskGraph& tasks = part.plan.tasks;
    const Budget each = setup.budget_of_each(tasks.spaces.size());
    std::optional<plan::Shortage> shortage = plan::shortage_of(tasks, each.bytes, held_by(stages));
    if (shortage && (!most || shortage->smallest_budget > most->smallest_budget)) {
      most = std::move(shortage);
    }
  });
  if (most) {
    plan::refuse(*most, plan::kSmallerPieces);
  }
}

MemoryForecast forecast_memory(const Stages& stages, const Setup& setup) {
  check_fits(stages, setup);
  MemoryForecast forecast;
  forecast.is_unbounded = true;
  for_each_frame(stages, setup, [&](const FramePlan& part) {
    const MemoryForecast next = forecast_of(part.plan.tasks, held_by(stages), setup);
    forecast.num_spaces = next.num_spaces;
    forecast.most_bytes = std::max(forecast.most_bytes, next.most_bytes);
    forecast.serial_bytes = std::max(forecast.serial_bytes, next.serial_bytes);
    forecast.is_unbounded = forecast.is_unbounded && next.is_unbounded;
    forecast.spilled_bytes += next.spilled_bytes;
  });
  return forecast;
}

}  // namespace tessera::engine
