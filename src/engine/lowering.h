#pragma once

#include "engine/session.h"

namespace tessera::engine {

/// Fills in the stages from the choice of cuts to the tasks that the stages do not have yet, from
/// the last one that they have.
///
/// Cuts follow --tile, or a planner for the machine's workers (or sites) and, where it sets one,
/// the session's memory budget: a program that no cuts fit into it is refused (memory_search.h).
void complete_lowering(Stages& stages, const Session& session);

}  // namespace tessera::engine
