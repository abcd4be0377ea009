#include "optimizer/lowering/to_ia.h"
#include "optimizer/pipeline.h"
#include "placement/planner.h"

namespace tessera::placement::planner_algebra {

namespace {

ia::Graph place(const tra::Graph& relations, const PlannerContext& around,
                optimizer::OptimizeReport& report) {
  ia::Graph initial = optimizer::to_ia(relations, around.context.num_sites);
  if (around.view.look) {
    around.view.look("to_ia", initial);
  }
  return optimizer::run_passes(std::move(initial), around.passes.ia, optimizer::ia_pipeline(),
                               around.context, around.view, report);
}

}  // namespace

/// TRA §5: the table of translations, then a search over the equivalences of whole relations.
void register_planner(PlannerRegistry& registry) {
  registry.add({"algebra",
                "Broadcasts and shuffles whole relations: the cheapest plan the rules find",
                &place});
}

}  // namespace tessera::placement::planner_algebra
