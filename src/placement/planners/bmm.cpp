#include "placement/joins/place_joins.h"
#include "placement/planner.h"

namespace tessera::placement::planner_bmm {

namespace {

using joins::Contraction;

/// Returns runs of a label that is not summed, or the placement of an operand by such runs: the map
/// that brings the fewest bytes and uses every site. For X times Y of equal size, Y stays.
std::optional<ia::ByMap> sites_of(const Contraction& contraction) {
  std::optional<ia::ByMap> best;
  bool gives_all_some = false;
  double fewest = 0;
  const auto consider = [&](const ia::ByMap& map, bool is_for_all) {
    const double bytes = joins::bytes_brought(contraction, map);
    const bool is_better = !best || (is_for_all && !gives_all_some) ||
                           (is_for_all == gives_all_some && bytes <= fewest);
    if (is_better) {
      best = map;
      gives_all_some = is_for_all;
      fewest = bytes;
    }
  };
  for (const std::string& label : contraction.cut_labels()) {
    if (contraction.summed.count(label) == 0) {
      consider(joins::in_runs(contraction, label),
               contraction.num_keys(label) >= contraction.num_sites);
    }
  }
  return best;
}

ia::Graph place(const tra::Graph& relations, const PlannerContext& around,
                optimizer::OptimizeReport& report) {
  return joins::place_joins(relations, {"bmm", &sites_of}, around.context, report);
}

}  // namespace

/// Broadcast-based matrix multiplication (TRA §5, two-phase §2):
/// BMM = agg(Shuf_{0,2}(join(Bcast X, Y))); if Y lies by its columns the shuffle moves nothing
/// (R2-4).
void register_planner(PlannerRegistry& registry) {
  registry.add(
      {"bmm",
       "Broadcasts all that a join reads but one relation, which is spread by a key of its own",
       &place, true});
}

}  // namespace tessera::placement::planner_bmm
