#include "optimizer/ia/partial_aggregate.h"

#include <utility>

#include "ir/ia/placement_of.h"
#include "ir/tra/infer.h"
#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_partial_aggregate {

namespace {

using ia::NodeId;

/// R2-5 (TRA §5), aggregation in two phases: agg_g(Shuf(R)) = agg_g(Shuf(agg_{g, site}(R))): every
/// site merges its tuples of a group, and moves one tuple instead of all. (agg_{g, site} keeps the
/// dimensions by which R is placed, in pieces as large as lie on one site. The paper's condition, g
/// part of D, is on the shuffled relation: here the shuffle goes to where the groups are needed.)
///
/// Conditions:
/// - one copy of each tuple, placed by a map: with two copies both sites would add theirs, and a
/// table does not show which tuples lie together;
/// - neighbouring tuples of a group share a site: else nothing is merged before it moves;
/// - tuples of a group do not lie together: else the rule would stack aggregates of one tuple
/// without end;
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

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"partial_aggregate", "merge what a site has of a group before it is moved",
                Phase::explore, [] { return PlacementRewrite(&apply); },
                "R2-5 of TRA §5: agg_g(Shuf(R)) = agg_g(Shuf(agg_{g, site}(R))), if R is one copy "
                "by a map, neighbours in a group share a site, and no order is stated"});
}

}  // namespace tessera::optimizer::rule_partial_aggregate
