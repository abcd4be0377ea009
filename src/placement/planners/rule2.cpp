#include "placement/two_phase/blocks.h"
#include "placement/two_phase/greedy.h"
#include "placement/two_phase/place.h"

namespace tessera::placement::planner_rule2 {

namespace {

two_phase::Plan solved(const two_phase::Problem& problem) {
  // The paper's inputs have fixed sites. Inputs that may begin anywhere are spread evenly over the
  // sites that need them; the rule would leave nearly all on a few, which then send everything.
  return two_phase::with_even_homes(problem,
                                    two_phase::assigned_greedily(problem, two_phase::Rules::second,
                                                                 two_phase::Ties::lowest_site));
}

}  // namespace

/// Two-phase §6, one of the baselines of its §8.
void register_planner(PlannerRegistry& registry) {
  registry.add({"rule2", "The second rule alone: join close to the operands",
                [](const tra::Graph& relations, const PlannerContext& around,
                   optimizer::OptimizeReport& report) {
                  return two_phase::place_by_groups("rule2", {&solved}, relations, around, report);
                },
                true});
}

}  // namespace tessera::placement::planner_rule2
