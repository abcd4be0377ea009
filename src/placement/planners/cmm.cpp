#include "placement/joins/place_joins.h"
#include "placement/planner.h"

namespace tessera::placement::planner_cmm {

namespace {

using joins::Contraction;

/// Returns runs of the summed label with the most keys; nothing for a join without one.
std::optional<ia::ByMap> sites_of(const Contraction& contraction) {
  std::optional<std::string> best;
  for (const std::string& label : contraction.cut_labels()) {
    const bool is_more = !best || contraction.num_keys(label) > contraction.num_keys(*best);
    best = contraction.summed.count(label) != 0 && is_more ? label : best;
  }
  return best ? std::optional(joins::in_runs(contraction, *best)) : std::nullopt;
}

ia::Graph place(const tra::Graph& relations, const PlannerContext& around,
                optimizer::OptimizeReport& report) {
  return joins::place_joins(relations, {"cmm", &sites_of, true}, around.context, report);
}

}  // namespace

/// Cross-product-based matrix multiplication (TRA §5; CPMM of the two-phase paper, §2):
/// CMM = agg(Shuf_{0,2}(join(Shuf_1 X, Shuf_0 Y))).
///
/// A sum of fewer tuples than sites that is read again is merged on every site: agg(Bcast(R)) for
/// Bcast(agg(Shuf(R))), R2-1, which is cheaper by the cost of TRA §5.
void register_planner(PlannerRegistry& registry) {
  registry.add(
      {"cmm",
       "Joins relations that are split by the label that is summed, and adds the partial sums",
       &place, true});
}

}  // namespace tessera::placement::planner_cmm
