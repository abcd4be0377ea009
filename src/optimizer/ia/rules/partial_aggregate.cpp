#include "optimizer/ia/partial_aggregate.h"

#include <utility>

#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer {

namespace {

using ia::NodeId;

/// R2-5 (TRA §5), aggregation in two phases: agg_g(Shuf(R)) = agg_g(Shuf(agg_{g, site}(R))): every
/// site merges what it has of a group, and moves one tuple of it instead of all. (agg_{g, site}
/// keeps the dimensions by which R lies, in pieces as large as lie on one site. The paper's
/// condition, g part of D, is on what is shuffled: here the shuffle goes to where the groups are
/// wanted.)
///
/// Conditions:
/// - one copy of each tuple, by a map: of two copies both sites would add theirs, and of a table it
///   is not seen which tuples lie together;
/// - tuples of a group that are next to each other share a site: else nothing is merged before it
/// moves;
/// - tuples of a group do not lie together: else there is no second phase, but aggregates of one
///   tuple behind each other without end;
/// - the order of merging is not stated: sums of one site at a time are another order.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const ia::Graph& graph = around.graph();
  const tra::Op* op = ia::local_op(node);
  const auto* aggregate = op == nullptr ? nullptr : std::get_if<tra::Aggregate>(op);
  if (aggregate == nullptr || !moved_by(graph.at(aggregate->input))) {
    return NotApplied{};
  }
  const NodeId before = unmoved(graph, aggregate->input);
  const OrRefusal<tra::Aggregate> partial = partial_aggregate(graph, *aggregate, before);
  if (!partial) {
    return NotApplied{partial.reason()};
  }
  const tra::RelationType type = tra::infer_type(*partial, tra::relations_of(graph));
  const OrRefusal<ia::Placement> wanted =
      ia::placement_of_pieces(node.placement, node.type.key, type.key, graph.num_sites);
  if (!wanted) {
    return NotApplied{wanted.reason()};
  }
  const NodeId merged(static_cast<int64_t>(graph.nodes.size()));
  const NodeId moved(merged.value + 1);
  PlacementRewritten made;
  made.nodes.push_back({ia::LocalOp{*partial}, type, graph.at(before).placement, node.origin});
  made.nodes.push_back(move_of(merged, type, *wanted, node.origin));
  ia::Node last = node;
  last.op = ia::LocalOp{tra::with_inputs(*op, {moved})};
  made.nodes.push_back(std::move(last));
  return made;
}

}  // namespace

void register_rule_partial_aggregate(PlacementRuleRegistry& registry) {
  registry.add({"partial_aggregate", "merge what a site has of a group before it is moved",
                Phase::explore, [] { return PlacementRewrite(&apply); },
                "R2-5 of TRA §5: agg_g(Shuf(R)) = agg_g(Shuf(agg_{g, site}(R))), if R is one copy "
                "by a map, neighbours in a group share a site, and no order is stated"});
}

}  // namespace tessera::optimizer
