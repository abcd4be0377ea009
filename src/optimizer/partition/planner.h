#pragma once

#include <functional>
#include <string>

#include "base/registry.h"
#include "optimizer/assignment/solution.h"
#include "optimizer/partition/problem/problem.h"

namespace tessera::optimizer::partition {

using assignment::Assignment;
using assignment::Solution;

/// A planner: an algorithm that chooses the cuts of a graph, one file each in
/// optimizer/partition/planners/.
struct Planner {
  std::string name;
  std::string summary;  // one line for the reference page
  std::string
      argument;  // the text after a colon behind the name ("NAME,..."); empty if it takes none
  /// Solves a problem. Costs are in elements moved, files included (model/cost.h). Deterministic:
  /// the same problem and argument give the same solution.
  std::function<Solution(const Problem&, const std::string& argument)> solve;
};

/// The planners that a session knows.
using PlannerRegistry = Registry<Planner>;

/// Adds every planner of optimizer/partition/planners/ (the list is generated from the folder).
void register_all_planners(PlannerRegistry& registry);

}  // namespace tessera::optimizer::partition
