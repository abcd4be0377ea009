#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/partition/problem.h"

namespace tessera::optimizer {

namespace partition {

/// A planner's answer. Costs are in elements moved, those of files among them (cost.h).
struct Solution {
  Assignment assignment;
  double cost = 0;
  /// No assignment of the problem's alternatives costs less; where it equals the cost, the
  /// assignment is optimal. Costs above 2^29 are compared to nine digits.
  std::optional<double> lower_bound;
};

}  // namespace partition

/// A way to choose the cuts of a graph, one file each in optimizer/partition/planners/.
struct Planner {
  std::string name;
  std::string summary;   // one line for the reference page
  std::string argument;  // what follows a colon after the name ("NAME,..."); empty: nothing may
  /// Deterministic: the same problem and argument give the same solution.
  std::function<partition::Solution(const partition::Problem&, const std::string& argument)> solve;
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

}  // namespace tessera::optimizer
