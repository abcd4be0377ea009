#pragma once

#include <variant>
#include <vector>

#include "engine/candidates/candidate.h"
#include "engine/planning/stages.h"
#include "engine/setup/setup.h"

namespace tessera::engine {

/// The stages behind the choice of cuts.
struct Lowered {
  optimizer::partition::GraphPartition partition;
  tra::Graph relations;
  ia::Graph placed;
  Tasks tasks;
  optimizer::OptimizeReport report;  // of the passes over relations
};

/// A lowered candidate, before it is judged.
using LoweredOrNot = std::variant<Lowered, NoPlan, Beaten>;

/// Cuts a program, in its order of contraction, and lowers it to its tasks. Cuts follow the tile
/// lengths, or a planner for the workers of all sites and the candidate's bounds. No tasks are made
/// of a plan that surely ends later than `latest_end`.
LoweredOrNot lower(const einsum::Graph& graph, const Candidate& candidate, double latest_end,
                   const Setup& setup);

/// Returns the tasks of a program on its sites, or its frames.
Tasks tasks_of(const ia::Graph& placed, const Setup& setup);

/// Judges a plan, or a placement that has no tasks, within the budget of every site, of which the
/// program holds `program_bytes`.
Outcome outcome_of(const ia::Graph& placed, const Tasks& tasks, int64_t program_bytes,
                   const Setup& setup);

/// Lowers from a later stage on.
Reached lower(tra::Graph relations, const Setup& setup);
Reached lower(ia::Graph placed, const Setup& setup);

/// Returns the stages up to a placement and its tasks, if it has some.
Reached reached(PlacedStages stages, Tasks tasks);

}  // namespace tessera::engine
