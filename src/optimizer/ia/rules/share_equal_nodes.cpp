#include <unordered_map>

#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_share_equal_nodes {

namespace {

/// Two nodes with equal operators, inputs and placements are one: a relation that several joins
/// need everywhere is broadcast once.
///
/// Condition: placement and type are equal too. An input in other pieces, or read by other sites,
/// is another relation to its readers.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around,
                       std::unordered_multimap<size_t, ia::NodeId>& seen) {
  const ia::Graph& graph = around.graph();
  const size_t hash = rewrite::Nodes<ia::Graph>::hash(node);
  const auto [begin, end] = seen.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    const ia::Node& other = graph.at(known->second);
    if (other.placement == node.placement && other.op == node.op && other.type == node.type) {
      return PlacementReplaced{known->second};
    }
  }
  seen.emplace(hash, ia::NodeId(static_cast<int64_t>(graph.nodes.size())));
  return NotApplied{};
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"share_equal_nodes", "move and compute the same tuples once", Phase::normalize,
                [] {
                  return PlacementRewrite(
                      [seen = std::unordered_multimap<size_t, ia::NodeId>()](
                          const ia::Node& node, const PlacementRuleContext& around) mutable {
                        return apply(node, around, seen);
                      });
                },
                "R and R are one relation, if they are made alike and lie alike"});
}

}  // namespace tessera::optimizer::rule_share_equal_nodes
