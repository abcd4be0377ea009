#pragma once

#include "engine/planning/stages.h"
#include "engine/setup/setup.h"

namespace tessera::engine {

/// Plans a program over whole tensors: proposes a candidate, lowers it and judges its plan, until
/// one is chosen (candidate_search.h). Errors: `resource` if cuts follow the budget and no plan
/// fits it.
Reached plan_program(einsum::Graph bound, const Setup& setup);

}  // namespace tessera::engine
