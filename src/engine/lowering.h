#pragma once

#include "engine/memory_search.h"
#include "engine/session.h"

namespace tessera::engine {

/// Cuts a program and lowers it to its tasks.
///
/// Cuts follow --tile, or a planner for the machine's workers (or sites) and, unless a number of
/// pieces was asked for, the session's memory budget (memory_search.h).
Lowered lower(const einsum::Graph& graph, const Session& session);

/// Goes on from a later stage.
Reached lower(tra::Graph relations, const Session& session);
Reached lower(ia::Graph placed, const Session& session);

/// The stages up to a placement and, where it has some, its tasks.
Reached reached(PlacedStages stages, std::optional<plan::TaskGraph> tasks);

/// Whether cuts are chosen so that the plan fits the memory budget, if any do.
bool cuts_follow_budget(const Settings& settings);

/// Threads that compute, or sites where there are more.
int64_t workers_of(const Settings& settings);

}  // namespace tessera::engine
