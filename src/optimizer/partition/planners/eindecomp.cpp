#include "optimizer/partition/path_program.h"
#include "optimizer/partition/planner.h"

namespace tessera::optimizer {

/// Source: EinDecomp §8. Exact, and its own lower bound, where no statement is read twice.
void register_planner_eindecomp(PlannerRegistry& registry) {
  registry.add({"eindecomp", "A dynamic program along the longest paths, one after the other", "",
                [](const partition::Problem& problem, const std::string&) {
                  partition::Solution solution;
                  solution.assignment = partition::linearised(problem);
                  solution.cost = partition::cost_of(problem, solution.assignment);
                  if (partition::is_forest(problem)) {
                    solution.lower_bound = solution.cost;
                  }
                  return solution;
                }});
}

}  // namespace tessera::optimizer
