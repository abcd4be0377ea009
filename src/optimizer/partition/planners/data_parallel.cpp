#include "optimizer/partition/baselines.h"
#include "optimizer/partition/planner.h"

namespace tessera::optimizer {

void register_planner_data_parallel(PlannerRegistry& registry) {
  registry.add({"data-parallel", "The first mode of the first input in as many pieces as possible",
                "", [](const partition::Problem& problem, const std::string&) {
                  partition::Assignment assignment = partition::data_parallel(problem);
                  const double cost = partition::cost_of(problem, assignment);
                  return partition::Solution{std::move(assignment), cost, std::nullopt};
                }});
}

}  // namespace tessera::optimizer
