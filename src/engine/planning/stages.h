#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "engine/candidates/candidate.h"
#include "frontend/einsum/einsum.h"
#include "ir/einsum/graph.h"
#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/einsum/driver.h"
#include "optimizer/partition/partition.h"
#include "plan/frames.h"
#include "plan/memory.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// The choices for a program over whole tensors.
struct Choices {
  einsum::Graph bound;
  einsum::Graph optimized;
  optimizer::OptimizeReport optimization;
  optimizer::partition::GraphPartition partition;  // the cuts of `optimized`, and the reasons
  std::vector<Trial> trials;                       // the tried candidates, in order
  size_t chosen = 0;                               // of these
};

/// The stages up to the placement, by the one that a plan starts from. Every later stage is there.
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

/// The tasks of a placement, or the frames that make them one after the other if they would be too
/// many to hold at once; nothing on too many sites or if something is open.
using Tasks = std::variant<std::monostate, plan::TaskGraph, std::vector<plan::Frame>>;

/// A plan that can run.
struct Plan {
  std::optional<PlacedStages> before;  // empty if the plan starts from the text of its tasks,
                                       // or if nobody asks for it any more
  plan::TaskGraph tasks;
};

/// A plan whose tasks are made frame by frame, in turn (frame_plans.h).
struct FramedPlan {
  PlacedStages before;
  std::vector<plan::Frame> frames;
};

/// A plan, or as far as it goes: a placement that leaves something open has no tasks.
using Reached = std::variant<PlacedStages, Plan, FramedPlan>;

/// Returns why nothing of a placement can run.
std::string why_no_tasks(const ia::Graph& placed);

/// The values of every stage, for EXPLAIN and for the run.
struct Stages {
  Reached reached;
  double planning_seconds = 0;
  std::optional<Diagnostics> warnings = std::nullopt;  // about the text of a program
  /// The number that these stages determine, if the program cannot be planned as a whole yet.
  std::optional<frontend::Count> waits_for = std::nullopt;
  /// The reason that the program does not fit the budget at once, if these stages are a first part
  /// of it (first_part.h), and a run plans the rest with its results.
  std::optional<plan::BudgetError> parted = std::nullopt;

  /// True if a run plans more of the program behind these stages.
  bool goes_on() const { return waits_for.has_value() || parted.has_value(); }

  /// Return a stage, or null if the plan starts behind it or does not reach it.
  const Choices* choices() const;
  /// Returns the report of all stages that were made, or null if none were.
  const optimizer::OptimizeReport* optimization() const;
  const tra::Graph* relations() const;
  const ia::Graph* placed() const;
  /// Returns the tasks; also null if they are made by frame.
  const plan::TaskGraph* tasks() const;
  /// Returns the frames; null if all tasks are made at once, or none.
  const std::vector<plan::Frame>* frames() const;

  /// True if there is something to run.
  bool is_planned() const { return tasks() != nullptr || frames() != nullptr; }
  /// Returns the results of the whole plan. Errors: `unsupported` if the stages end before the
  /// tasks.
  std::vector<plan::SinkInfo> results() const;

  /// Drops the tasks, which take most of a plan's memory; the stages before them stay. REQUIRES
  /// that there are some.
  void drop_tasks();

  /// Drops the stages before the tasks, if all tasks are there.
  void drop_before_tasks();

  /// Returns the plan. REQUIRES that all tasks are made at once. Errors: `unsupported` if the
  /// stages end before the tasks.
  const Plan& plan() const;

 private:
  const PlacedStages* placed_stages() const;
};

}  // namespace tessera::engine
