#pragma once

#include <cstdint>

#include "plans/runner/variation.h"

namespace tessera::plans {

/// Places a case on several sites and then applies placement rules as a seed draws them, whether
/// they gain anything or not: what each makes is verified and, interpreted on its sites, compared
/// with the case's results.
ModeReport placement_walk(const Case& each, const Baseline& baseline,
                          const engine::Settings& settings, uint64_t seed);

}  // namespace tessera::plans
