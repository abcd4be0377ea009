#include "optimizer/partition/planner.h"
#include "optimizer/partition/search/baselines.h"

namespace tessera::optimizer::partition::planner_sqrt {

void register_planner(PlannerRegistry& registry) {
  registry.add({"sqrt", "Equally many pieces along every label", "",
                [](const Problem& problem, const std::string&) {
                  Assignment assignment = evenly_cut(problem);
                  const double cost = cost_of(problem.choice, assignment);
                  return Solution{std::move(assignment), cost, std::nullopt};
                }});
}

}  // namespace tessera::optimizer::partition::planner_sqrt
