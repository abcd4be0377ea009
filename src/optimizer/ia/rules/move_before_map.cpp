#include <algorithm>
#include <utility>

#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_move_before_map {

namespace {

using ia::NodeId;

/// Returns the input of an operator that maps tuples one by one, perhaps to another key; nothing
/// for others.
std::optional<NodeId> mapped_by(const ia::Node& node) {
  const tra::Op* op = ia::local_op(node);
  const auto* join = op == nullptr ? nullptr : std::get_if<tra::Join>(op);
  const bool is_map = op != nullptr && (std::holds_alternative<tra::Transform>(*op) ||
                                        (join != nullptr && join->inputs.size() == 1));
  return is_map ? std::optional(tra::inputs_of(*op)[0]) : std::nullopt;
}

/// Rewrites a map of the result's tuples as a map of the input's; nothing if the input lacks some
/// of its labels.
std::optional<ia::Placement> before_map(const ia::Placement& to, const ia::Node& map,
                                        const std::vector<tra::KeyDim>& key) {
  const auto* join = std::get_if<tra::Join>(ia::local_op(map));
  const ia::ByMap* by = ia::map_of(to);
  if (join == nullptr || ia::is_everywhere(to)) {
    return to;
  }
  if (by == nullptr) {
    return std::nullopt;
  }
  ia::ByMap own = *by;
  const std::vector<std::string>& match = join->match[0];
  for (ia::SiteTerm& term : own.terms) {
    const auto dim = std::find(match.begin(), match.end(), term.label);
    if (dim == match.end()) {
      return std::nullopt;
    }
    term.label = tra::label_of(key[static_cast<size_t>(dim - match.begin())]);
  }
  return own;
}

double bytes_of(const tra::RelationType& type) {
  return static_cast<double>(tra::num_tuples(type)) * tra::tuple_bytes(type);
}

/// R2-2 and R2-3 (TRA §5) from right to left: Shuf_P(map(R)) = map(Shuf_P(R)) and Bcast(map(R)) =
/// map(Bcast(R)): the input of a map that enlarges or repeats is moved before the map.
///
/// Conditions:
/// - R has the labels of P: else its keys do not give a tuple's site;
/// - the map makes more bytes than it reads: else the other order moves fewer (move_after_map);
/// - only the move reads the map: else it would be computed twice.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const ia::Graph& graph = around.graph();
  const std::optional<NodeId> moved = moved_by(node);
  const std::optional<NodeId> from = moved ? mapped_by(graph.at(*moved)) : std::nullopt;
  if (!from) {
    return NotApplied{};
  }
  if (around.num_readers(*moved) > 1) {
    return NotApplied{"others read what it moves"};
  }
  if (bytes_of(node.type) <= bytes_of(graph.at(*from).type)) {
    return NotApplied{"what the map makes is no larger"};
  }
  const ia::Node& map = graph.at(*moved);
  const std::optional<ia::Placement> to = before_map(node.placement, map, graph.at(*from).type.key);
  if (!to) {
    return NotApplied{"what the map reads has not the keys by which it is moved"};
  }
  PlacementRewritten made{{moved_to(graph, *from, *to, node.origin)}};
  ia::Node after = map;
  after.op = ia::with_inputs(std::get<ia::LocalOp>(map.op),
                             {NodeId(static_cast<int64_t>(graph.nodes.size()))});
  made.nodes.push_back(std::move(after));
  return made;
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"move_before_map", "move what a map reads where that is less", Phase::explore,
                [] { return PlacementRewrite(&apply); },
                "R2-2 and R2-3 of TRA §5, from right to left: Shuf_P(map(R)) = map(Shuf_P(R)) and "
                "Bcast(map(R)) = map(Bcast(R)), if R has the labels of P, the map makes more bytes "
                "than it reads, and nothing else reads map(R)"});
}

}  // namespace tessera::optimizer::rule_move_before_map
