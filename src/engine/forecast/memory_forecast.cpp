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
  const plan::MemoryProof proof = plan::largest_proof(plan.tasks);
  const int64_t serial = proof.peak.at_most;
  const int64_t left = left_by(plan.tasks, held.bytes, budget).bytes;
  return {plan.tasks.spaces.size(), budget.workers == 1 ? std::min(left, serial) : left, serial,
          serial <= left,
          plan::forecast_paging(plan.tasks, std::max(left, proof.smallest_budget)).spilled_bytes};
}

}  // namespace tessera::engine
