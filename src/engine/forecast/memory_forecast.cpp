#include "engine/forecast/memory_forecast.h"

#include <algorithm>

#include "engine/candidates/candidate.h"
#include "engine/planning/program_size.h"
#include "plan/memory.h"
#include "plan/paging.h"

namespace tessera::engine {

MemoryForecast forecast_memory(const Plan& plan, const Budget& budget) {
  const plan::Held held = held_by(plan);
  plan::check_budget(plan.tasks, budget.bytes, held);
  const int64_t serial = plan.tasks.proof().peak.at_most;
  const int64_t left = left_by(plan.tasks, held.bytes, budget).bytes;
  return {budget.workers == 1 ? std::min(left, serial) : left, serial, serial <= left,
          plan::forecast_paging(plan.tasks, left).spilled_bytes};
}

}  // namespace tessera::engine
