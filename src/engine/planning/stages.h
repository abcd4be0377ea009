#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "engine/candidates/candidate.h"
#include "ir/einsum/graph.h"
#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/einsum/driver.h"
#include "optimizer/partition/partition.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// What was chosen for a program over whole tensors.
struct Choices {
  einsum::Graph bound;
  einsum::Graph optimized;
  optimizer::OptimizeReport optimization;
  optimizer::partition::GraphPartition partition;  // how `optimized` is cut, and why
  std::vector<Trial> trials;                       // the candidates that were tried, in order
  size_t chosen = 0;                               // of these
};

/// The stages up to the placement, by the one that a plan starts from. Every stage behind it is
/// there.
struct FromProgram {
  Choices choices;
  tra::Graph relations;
  ia::Graph placed;
};
struct FromRelations {
  tra::Graph relations;
  ia::Graph placed;
  optimizer::OptimizeReport optimization;
};
struct FromPlacement {
  ia::Graph placed;
};
using PlacedStages = std::variant<FromProgram, FromRelations, FromPlacement>;

/// A plan that can run.
struct Plan {
  std::optional<PlacedStages> before;  // nothing where the plan starts from the text of its tasks
  plan::TaskGraph tasks;
};

/// A plan, or as far as it goes: a placement that leaves something open has no tasks.
using Reached = std::variant<PlacedStages, Plan>;

/// Why nothing of a placement can run.
std::string why_no_tasks(const ia::Graph& placed);

/// The values of every stage, for EXPLAIN and for the run.
struct Stages {
  Reached reached;
  double planning_seconds = 0;

  /// A stage, or null where the plan starts behind it or does not reach it.
  const Choices* choices() const;
  /// Of all stages that were made, or null where none were.
  const optimizer::OptimizeReport* optimization() const;
  const tra::Graph* relations() const;
  const ia::Graph* placed() const;
  const plan::TaskGraph* tasks() const;

  /// Errors: `unsupported` where the stages end before the tasks.
  const Plan& plan() const;

 private:
  const PlacedStages* placed_stages() const;
};

}  // namespace tessera::engine
