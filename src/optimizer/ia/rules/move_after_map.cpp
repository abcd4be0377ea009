#include <utility>
#include <vector>

#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_move_after_map {

namespace {

using ia::NodeId;

/// Returns the input of an operator that makes at most one tuple of each; nothing for others. A
/// join of one input is such a map, unless it repeats tuples along a new label.
std::optional<NodeId> mapped_by(const ia::Graph& graph, const ia::Node& node) {
  const tra::Op* op = ia::local_op(node);
  const std::vector<NodeId> inputs = op == nullptr ? std::vector<NodeId>() : tra::inputs_of(*op);
  if (inputs.size() != 1) {
    return std::nullopt;
  }
  const bool is_map = std::holds_alternative<tra::Filter>(*op) ||
                      std::holds_alternative<tra::Transform>(*op) ||
                      std::holds_alternative<tra::Join>(*op);
  const bool is_one_to_one =
      is_map && tra::num_keys(node.type.key) == tra::num_keys(graph.at(inputs[0]).type.key);
  return is_one_to_one ? std::optional(inputs[0]) : std::nullopt;
}

/// Rewrites a shuffle's map by the labels that an operator gives its result; nothing if it drops
/// one.
std::optional<ia::Placement> renamed(const ia::Placement& to, const std::vector<tra::KeyDim>& key,
                                     const tra::Op& op) {
  const auto* join = std::get_if<tra::Join>(&op);
  const ia::ByMap* map = ia::map_of(to);
  if (join == nullptr || ia::is_everywhere(to)) {
    return to;
  }
  if (map == nullptr) {
    return std::nullopt;  // sites that stand in a table are in the order of the old keys
  }
  ia::ByMap by_label = *map;
  for (ia::SiteTerm& term : by_label.terms) {
    term.label = join->match[0][static_cast<size_t>(tra::find_key_dim(key, term.label))];
    if (tra::find_key_dim(join->key, term.label) < 0) {
      return std::nullopt;
    }
  }
  return by_label;
}

/// R2-2 and R2-3 (TRA §5): map(Shuf_P(R)) = Shuf_P(map(R)) and map(Bcast(R)) = Bcast(map(R)): a map
/// that shrinks or filters its input runs before the move.
///
/// Condition: a tuple becomes one tuple whose key still determines its site. Repeated along a new
/// label, more tuples would be moved, and a key without P's labels would not give a site.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const ia::Graph& graph = around.graph();
  const std::optional<NodeId> input = mapped_by(graph, node);
  const std::optional<NodeId> before = input ? moved_by(graph.at(*input)) : std::nullopt;
  if (!before) {
    return NotApplied{};
  }
  const tra::Op& op = *ia::local_op(node);
  const std::optional<ia::Placement> to =
      renamed(graph.at(*input).placement, graph.at(*input).type.key, op);
  if (!to) {
    return NotApplied{"its key does not say where tuples were moved to"};
  }
  ia::Node map = node;
  map.op = ia::LocalOp{tra::with_inputs(op, {*before})};
  const NodeId mapped(static_cast<int64_t>(graph.nodes.size()));
  PlacementRewritten made{{std::move(map)}};
  made.nodes.push_back(move_of(mapped, node.type, *to, node.origin));
  return made;
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"move_after_map", "move what a map makes instead of what it reads", Phase::explore,
                [] { return PlacementRewrite(&apply); },
                "R2-2 and R2-3 of TRA §5: map(Shuf_P(R)) = Shuf_P(map(R)) and map(Bcast(R)) = "
                "Bcast(map(R)), if one tuple becomes one, under a key that says its site"});
}

}  // namespace tessera::optimizer::rule_move_after_map
