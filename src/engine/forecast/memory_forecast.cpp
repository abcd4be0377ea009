#include "engine/forecast/memory_forecast.h"

#include <algorithm>

#include "engine/candidates/candidate.h"
#include "engine/planning/frame_plans.h"
#include "engine/planning/program_size.h"
#include "plan/memory.h"
#include "plan/paging.h"

namespace tessera::engine {

namespace {

MemoryForecast forecast_of(const plan::TaskGraph& tasks, const plan::Held& held,
                           const Budget& budget) {
  plan::check_budget(tasks, budget.bytes, held);
  const plan::MemoryProof proof = plan::largest_proof(tasks);
  const int64_t serial = proof.peak.at_most;
  const int64_t left = left_by(tasks, held.bytes, budget).bytes;
  return {tasks.spaces.size(), budget.workers == 1 ? std::min(left, serial) : left, serial,
          serial <= left,
          plan::forecast_paging(tasks, std::max(left, proof.smallest_budget)).spilled_bytes};
}

}  // namespace

MemoryForecast forecast_memory(const Stages& stages, const Setup& setup) {
  MemoryForecast forecast;
  forecast.is_unbounded = true;
  for_each_frame(stages, setup, [&](const FramePlan& part) {
    const MemoryForecast next = forecast_of(part.plan.tasks, held_by(stages), setup.budget());
    forecast.num_spaces = next.num_spaces;
    forecast.most_bytes = std::max(forecast.most_bytes, next.most_bytes);
    forecast.serial_bytes = std::max(forecast.serial_bytes, next.serial_bytes);
    forecast.is_unbounded = forecast.is_unbounded && next.is_unbounded;
    forecast.spilled_bytes += next.spilled_bytes;
  });
  return forecast;
}

}  // namespace tessera::engine
