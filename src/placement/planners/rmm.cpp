#include "placement/joins/place_joins.h"
#include "placement/planner.h"

namespace tessera::placement {

namespace {

using joins::Contraction;

/// In turn, tile of the result after tile.
std::optional<ia::ByMap> sites_of(const Contraction& contraction) {
  std::vector<std::string> labels;
  for (const std::string& label : contraction.cut_labels()) {
    if (contraction.summed.count(label) == 0) {
      labels.push_back(label);
    }
  }
  if (labels.empty()) {
    return std::nullopt;
  }
  return ia::in_turn(labels, contraction.key, contraction.num_sites);
}

ia::Graph place(const tra::Graph& relations, const Surroundings& around,
                optimizer::OptimizeReport&) {
  return joins::place_joins(relations, {&sites_of}, around.context);
}

}  // namespace

/// Replication-based matrix multiplication (TRA §5): RMM duplicates X once for every column of
/// tiles of Y and Y once for every row of X, shuffles both by the tiles of the result, and sums
/// where they meet. Here a site gets one copy of a tile, however many of its results need it.
void register_planner_rmm(PlannerRegistry& registry) {
  registry.add(
      {"rmm",
       "Copies what a join reads to the sites that make tiles of the result, which stay there",
       &place, true});
}

}  // namespace tessera::placement
