#include "placement/two_phase/place.h"

#include <fmt/format.h>

#include "optimizer/lowering/to_ia.h"
#include "placement/two_phase/costs.h"
#include "placement/two_phase/pilot.h"
#include "placement/two_phase/placed_graph.h"

namespace tessera::placement::two_phase {

namespace {

std::string note_of(const std::string& name, const Totals& totals) {
  return fmt::format(
      "{}: {} join groups, {} aggregation groups; estimated seconds: {:.3g} to send, {:.3g} to "
      "join, {:.3g} to collect, {:.3g} to merge",
      name, totals.num_joins, totals.num_groups, seconds_of(totals.cost.send),
      seconds_of(totals.cost.join), seconds_of(totals.cost.collect), seconds_of(totals.cost.merge));
}

/// Returns the same relations, with merged tuples made by themselves first (Two-phase §4), so that
/// a site's workers share join groups rather than one long sum.
tra::Graph with_results_of_their_own(tra::Graph relations) {
  for (tra::Node& node : relations.nodes) {
    if (auto* aggregate = std::get_if<tra::Aggregate>(&node.op)) {
      aggregate->order = tra::MergeOrder::tree;
    }
  }
  return relations;
}

}  // namespace

ia::Graph place_by_groups(const std::string& name, const Method& method,
                          const tra::Graph& relations, const PlannerContext& around,
                          optimizer::OptimizeReport& report) {
  const Cluster cluster{static_cast<int32_t>(around.context.num_sites), around.workers};
  const ia::Graph on_one_site =
      optimizer::to_ia(method.merges_parts ? relations : with_results_of_their_own(relations), 1);
  const Piloted piloted = pilot(on_one_site, cluster, around.context.known, method);
  report.notes.push_back(note_of(name, piloted.totals));
  return placed_graph(on_one_site, piloted, cluster.num_sites);
}

}  // namespace tessera::placement::two_phase
