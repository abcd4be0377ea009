#include <utility>

#include "ir/ia/placement_of.h"
#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_move_before_merge {

namespace {

using ia::NodeId;

/// Returns the input of an operator that merges tuples into fewer; nothing for others.
std::optional<NodeId> merged_by(const ia::Graph& graph, const ia::Node& node) {
  const tra::Op* op = ia::local_op(node);
  const bool is_merge = op != nullptr && (std::holds_alternative<tra::Aggregate>(*op) ||
                                          std::holds_alternative<tra::Concat>(*op) ||
                                          std::holds_alternative<tra::Repartition>(*op));
  if (!is_merge) {
    return std::nullopt;
  }
  const NodeId input = tra::inputs_of(*op)[0];
  const bool is_paste = tra::refines(graph.at(input).type.key, node.type.key) ||
                        !std::holds_alternative<tra::Repartition>(*op);
  return is_paste ? std::optional(input) : std::nullopt;
}

/// Shuf_P(merge(R)) = merge(Shuf_P'(R)), where P' is P of the tuple that each tuple of R becomes
/// part of: tuples that are merged go directly to where the result is needed. (R2-4 of TRA §5, read
/// from right to left, and R2-1.)
///
/// Condition: only the shuffle reads the merged tuples. Other readers would need them at their old
/// sites, so that all would be merged twice.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const ia::Graph& graph = around.graph();
  const auto* shuf = std::get_if<ia::Shuf>(&node.op);
  const std::optional<NodeId> input =
      shuf == nullptr ? std::nullopt : merged_by(graph, graph.at(shuf->input));
  if (!input) {
    return NotApplied{};
  }
  if (around.num_readers(shuf->input) > 1) {
    return NotApplied{"others read what it shuffles"};
  }
  const ia::Node& merge = graph.at(shuf->input);
  const NodeId before = unmoved(graph, *input);
  const OrRefusal<ia::Placement> wanted =
      ia::placement_of_pieces(shuf->to, merge.type.key, graph.at(before).type.key, graph.num_sites);
  if (!wanted) {
    return NotApplied{wanted.reason()};
  }
  PlacementRewritten made{{moved_to(graph, before, *wanted, merge.origin)}};
  ia::Node merged = merge;
  const NodeId moved(static_cast<int64_t>(graph.nodes.size()));
  merged.op = ia::LocalOp{tra::with_inputs(*ia::local_op(merge), {moved})};
  made.nodes.push_back(std::move(merged));
  return made;
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"move_before_merge", "merge tuples where the result is wanted", Phase::explore,
                [] { return PlacementRewrite(&apply); },
                "R2-4 of TRA §5, from right to left: Shuf_P(agg(R)) = agg(Shuf_P(R)), if nothing "
                "else reads agg(R)"});
}

}  // namespace tessera::optimizer::rule_move_before_merge
