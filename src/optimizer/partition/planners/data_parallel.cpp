#include "optimizer/partition/planner.h"
#include "optimizer/partition/search/baselines.h"

namespace tessera::optimizer::partition::planner_data_parallel {

void register_planner(PlannerRegistry& registry) {
  registry.add({"data-parallel", "The first mode of the first input in as many pieces as possible",
                "", [](const Problem& problem, const std::string&) {
                  Assignment assignment = data_parallel(problem);
                  const double cost = cost_of(problem.choice, assignment);
                  return Solution{std::move(assignment), cost, std::nullopt};
                }});
}

}  // namespace tessera::optimizer::partition::planner_data_parallel
