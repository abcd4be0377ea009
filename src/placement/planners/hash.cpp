#include "placement/two_phase/place.h"
#include "placement/two_phase/solve.h"

namespace tessera::placement::planner_hash {

/// The plan of an engine that knows no keys: "NoPlan" in Two-phase §8, one of its baselines.
void register_planner(PlannerRegistry& registry) {
  registry.add({"hash",
                "Hash join and hash aggregation: what meets is dealt out by the joined keys",
                [](const tra::Graph& relations, const PlannerContext& around,
                   optimizer::OptimizeReport& report) {
                  return two_phase::place_by_groups("hash", {&two_phase::dealt_by_keys}, relations,
                                                    around, report);
                },
                true});
}

}  // namespace tessera::placement::planner_hash
