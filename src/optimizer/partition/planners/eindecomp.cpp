#include "optimizer/assignment/path_program.h"
#include "optimizer/partition/planner.h"

namespace tessera::optimizer::partition::planner_eindecomp {

/// Source: EinDecomp §8. Exact, and its own lower bound, if no statement is read twice.
void register_planner(PlannerRegistry& registry) {
  registry.add({"eindecomp", "A dynamic program along the longest paths, one after the other", "",
                [](const Problem& problem, const std::string&) {
                  Solution solution;
                  solution.assignment = linearised(problem.choice);
                  solution.cost = cost_of(problem.choice, solution.assignment);
                  if (is_forest(problem.choice)) {
                    solution.lower_bound = solution.cost;
                  }
                  return solution;
                }});
}

}  // namespace tessera::optimizer::partition::planner_eindecomp
