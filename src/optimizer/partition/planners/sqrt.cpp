#include "optimizer/partition/baselines.h"
#include "optimizer/partition/planner.h"

namespace tessera::optimizer {

void register_planner_sqrt(PlannerRegistry& registry) {
  registry.add({"sqrt", "Equally many pieces along every label", "",
                [](const partition::Problem& problem, const std::string&) {
                  partition::Assignment assignment = partition::evenly_cut(problem);
                  const double cost = partition::cost_of(problem, assignment);
                  return partition::Solution{std::move(assignment), cost, std::nullopt};
                }});
}

}  // namespace tessera::optimizer
