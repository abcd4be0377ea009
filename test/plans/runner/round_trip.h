#pragma once

#include "plans/runner/modes.h"

namespace tessera::plans {

/// Prints every stage of a plan, reads it back and compares the values; goes on from the text of
/// every stage behind the cuts, and compares what follows, its results too.
ModeReport round_trip(const Case& each, const Baseline& baseline);

}  // namespace tessera::plans
