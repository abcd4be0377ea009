#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/planning/stages.h"
#include "engine/setup/setup.h"

namespace tessera::engine {

/// Predicted memory use of a run, on the site that uses most.
struct MemoryForecast {
  size_t num_spaces = 1;      // each with a budget of its own
  int64_t most_bytes = 0;     // at once; several workers may take all that the plan leaves
  int64_t serial_bytes = 0;   // one task at a time, and nothing paged
  bool is_unbounded = false;  // beside the plan, without a budget
  int64_t spilled_bytes = 0;  // about, over all spaces
};

/// Refuses a plan that does not fit the budget, with the smallest that all of its frames run under.
/// Errors: `resource`.
void check_fits(const Stages& stages, const Setup& setup);

/// Forecasts memory. Errors: `resource` if the plan, or a frame of it, does not fit the budget,
/// like in Session::run.
MemoryForecast forecast_memory(const Stages& stages, const Setup& setup);

}  // namespace tessera::engine
