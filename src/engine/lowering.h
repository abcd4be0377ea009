#pragma once

#include "engine/session.h"

namespace tessera::engine {

/// Fills in the stages from the choice of cuts to the tasks that the stages do not have yet, from
/// the last one that they have.
///
/// Cuts follow --tile, or a planner for the machine's workers (or sites) and, unless a number of
/// pieces was asked for, the session's memory budget (memory_search.h).
void complete_lowering(Stages& stages, const Session& session);

/// Whether cuts are chosen so that the plan fits the memory budget, if any do.
bool cuts_follow_budget(const Settings& settings);

/// Threads that compute, or sites where there are more.
int64_t workers_of(const Settings& settings);

}  // namespace tessera::engine
