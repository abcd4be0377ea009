#include "optimizer/assignment/exact_search.h"
#include "optimizer/assignment/path_program.h"
#include "optimizer/partition/planner.h"
#include "optimizer/partition/search/baselines.h"

namespace tessera::optimizer::partition::planner_exact {

/// Never costs more than eindecomp, sqrt and data-parallel, from which it starts.
void register_planner(PlannerRegistry& registry) {
  registry.add({"exact", "The cheapest cuts of all, or the best found with a bound on the gap", "",
                [](const Problem& problem, const std::string&) {
                  return exact_search(
                      problem.choice,
                      {linearised(problem.choice), evenly_cut(problem), data_parallel(problem)});
                }});
}

}  // namespace tessera::optimizer::partition::planner_exact
