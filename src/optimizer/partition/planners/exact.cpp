#include "optimizer/partition/baselines.h"
#include "optimizer/partition/exact_search.h"
#include "optimizer/partition/path_program.h"
#include "optimizer/partition/planner.h"

namespace tessera::optimizer {

/// Never costs more than eindecomp, sqrt and data-parallel, from which it starts.
void register_planner_exact(PlannerRegistry& registry) {
  registry.add({"exact", "The cheapest cuts of all, or the best found with a bound on the gap", "",
                [](const partition::Problem& problem, const std::string&) {
                  return partition::exact_search(
                      problem, {partition::linearised(problem), partition::evenly_cut(problem),
                                partition::data_parallel(problem)});
                }});
}

}  // namespace tessera::optimizer
