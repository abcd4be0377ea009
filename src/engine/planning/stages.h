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

/// What follows from a placement: its tasks, or the frames that make them one after the other where
/// they would be too many to be held at once; nothing on too many sites or where something is open.
using Tasks = std::variant<std::monostate, plan::TaskGraph, std::vector<plan::Frame>>;

/// A plan that can run.
struct Plan {
  std::optional<PlacedStages> before;  // nothing where the plan starts from the text of its tasks,
                                       // or where nobody asks for it any more
  plan::TaskGraph tasks;
};

/// A plan whose tasks are made by frame, when it is their turn (frame_plans.h).
struct FramedPlan {
  PlacedStages before;
  std::vector<plan::Frame> frames;
};

/// A plan, or as far as it goes: a placement that leaves something open has no tasks.
using Reached = std::variant<PlacedStages, Plan, FramedPlan>;

/// Why nothing of a placement can run.
std::string why_no_tasks(const ia::Graph& placed);

/// The values of every stage, for EXPLAIN and for the run.
struct Stages {
  Reached reached;
  double planning_seconds = 0;
  std::optional<Diagnostics> warnings = std::nullopt;  // about the text of a program
  /// The number that these stages are there to tell, where all of a program cannot be planned yet.
  std::optional<frontend::Count> waits_for = std::nullopt;
  /// Why the program does not fit the budget at once, where these stages are a first part of it
  /// (first_part.h), and a run plans the rest with what they leave.
  std::optional<plan::BudgetError> parted = std::nullopt;

  /// True if a run plans more of the program behind these stages.
  bool goes_on() const { return waits_for.has_value() || parted.has_value(); }

  /// A stage, or null where the plan starts behind it or does not reach it.
  const Choices* choices() const;
  /// Of all stages that were made, or null where none were.
  const optimizer::OptimizeReport* optimization() const;
  const tra::Graph* relations() const;
  const ia::Graph* placed() const;
  /// Also null where they are made by frame.
  const plan::TaskGraph* tasks() const;
  /// Null where all tasks are made at once, or none.
  const std::vector<plan::Frame>* frames() const;

  /// Whether there is something to run.
  bool is_planned() const { return tasks() != nullptr || frames() != nullptr; }
  /// The results of the whole plan. Errors: `unsupported` where the stages end before the tasks.
  std::vector<plan::SinkInfo> results() const;

  /// Forgets the tasks, which take most of a plan's memory; the stages before them stay. REQUIRES
  /// that there are some.
  void drop_tasks();

  /// Forgets the stages before the tasks, where all tasks are there.
  void drop_before_tasks();

  /// REQUIRES that all tasks are made at once. Errors: `unsupported` where the stages end before
  /// the tasks.
  const Plan& plan() const;

 private:
  const PlacedStages* placed_stages() const;
};

}  // namespace tessera::engine
