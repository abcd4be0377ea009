#pragma once

#include <functional>
#include <string>
#include <vector>

#include "optimizer/assignment/solution.h"
#include "optimizer/partition/problem/problem.h"

namespace tessera::optimizer::partition {

using assignment::Assignment;
using assignment::Solution;

/// A way to choose the cuts of a graph, one file each in optimizer/partition/planners/.
struct Planner {
  std::string name;
  std::string summary;   // one line for the reference page
  std::string argument;  // what follows a colon after the name ("NAME,..."); empty: nothing may
  /// Costs are in elements moved, those of files among them (model/cost.h).
  /// Deterministic: the same problem and argument give the same solution.
  std::function<Solution(const Problem&, const std::string& argument)> solve;
};

/// The planners a session knows. Threads: filled once, then read by any number.
class PlannerRegistry {
 public:
  void add(Planner planner);
  const Planner* find(const std::string& name) const;  // null if there is none
  const std::vector<Planner>& all() const { return planners_; }

 private:
  std::vector<Planner> planners_;
};

/// Adds every planner of optimizer/partition/planners/ (the list is generated from the folder).
void register_all_planners(PlannerRegistry& registry);

}  // namespace tessera::optimizer::partition
