#include "placement/joins/best_grid.h"
#include "placement/joins/place_joins.h"
#include "placement/planner.h"

namespace tessera::placement::planner_3d {

namespace {

using joins::Contraction;

std::optional<ia::ByMap> sites_of(const Contraction& contraction) {
  return joins::best_grid(contraction, contraction.cut_labels());
}

ia::Graph place(const tra::Graph& relations, const PlannerContext& around,
                optimizer::OptimizeReport& report) {
  return joins::place_joins(
      relations, {.planner = "3d", .sites_of = &sites_of, .grid_labels = &Contraction::cut_labels},
      around.context, report);
}

}  // namespace

/// The 3D algorithm of matrix multiplication (two-phase §2): sites stand in a grid along the three
/// labels, so that m of them move m^(1/3) (N_w + N_x + N_o) bytes. Here the grid is chosen for each
/// join, of any labels and extents, among all that give the busiest site the least work.
void register_planner(PlannerRegistry& registry) {
  registry.add({"3d",
                "Splits every join along all its labels at once, over the grid of sites that moves "
                "the least",
                &place, true});
}

}  // namespace tessera::placement::planner_3d
