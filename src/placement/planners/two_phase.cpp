#include "placement/two_phase/place.h"
#include "placement/two_phase/solve.h"

namespace tessera::placement::planner_two_phase {

/// Two-phase §4-6, with local search behind the greedy planner.
void register_planner(PlannerRegistry& registry) {
  registry.add(
      {"two-phase", "Places tile by tile: the two rules of the two-phase paper, then local search",
       [](const tra::Graph& relations, const PlannerContext& around,
          optimizer::OptimizeReport& report) {
         return two_phase::place_by_groups("two-phase",
                                           {&two_phase::planned, true, &two_phase::sketched},
                                           relations, around, report);
       }});
}

}  // namespace tessera::placement::planner_two_phase
