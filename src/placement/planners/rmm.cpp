#include "placement/joins/best_grid.h"
#include "placement/joins/place_joins.h"
#include "placement/planner.h"

namespace tessera::placement::planner_rmm {

namespace {

using joins::Contraction;

/// Returns the labels of the result.
std::vector<std::string> grid_labels(const Contraction& contraction) {
  std::vector<std::string> labels = contraction.cut_labels();
  std::erase_if(labels, [&](const std::string& label) { return contraction.summed.count(label); });
  return labels;
}

std::optional<ia::ByMap> sites_of(const Contraction& contraction) {
  return joins::best_grid(contraction, grid_labels(contraction));
}

ia::Graph place(const tra::Graph& relations, const PlannerContext& around,
                optimizer::OptimizeReport& report) {
  return joins::place_joins(relations,
                            {.planner = "rmm", .sites_of = &sites_of, .grid_labels = &grid_labels},
                            around.context, report);
}

}  // namespace

/// Replication-based matrix multiplication (TRA §5): RMM duplicates X once for every column of
/// tiles of Y and Y once for every row of X, shuffles both by the tiles of the result, and sums
/// where they meet. Here a site gets one copy of a tile, for any number of results that need it.
void register_planner(PlannerRegistry& registry) {
  registry.add(
      {"rmm",
       "Copies what a join reads to the sites that make tiles of the result, which stay there",
       &place, true});
}

}  // namespace tessera::placement::planner_rmm
