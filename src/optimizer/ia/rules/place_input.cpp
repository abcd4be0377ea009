#include <utility>
#include <vector>

#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_place_input {

namespace {

/// Returns the maps that spread tuples: along one dimension, in turn along two, along all.
std::vector<ia::ByMap> ways_to_spread(const ia::Graph& graph, const std::vector<tra::KeyDim>& key) {
  std::vector<std::string> cut;
  std::vector<ia::ByMap> ways;
  const auto add = [&](const std::vector<std::string>& dims) {
    if (const std::optional<ia::ByMap> map = spread(graph, key, dims)) {
      ways.push_back(*map);
    }
  };
  for (const tra::KeyDim& dim : key) {
    if (tra::num_keys(dim) > 1) {
      cut.push_back(tra::label_of(dim));
    }
  }
  for (size_t one = 0; one < cut.size(); ++one) {
    for (ia::ByMap& map : ways_along(graph, key, cut[one])) {
      ways.push_back(std::move(map));
    }
    for (size_t other = one + 1; other < cut.size() && cut.size() > 2; ++other) {
      add({cut[one], cut[other]});
    }
  }
  if (cut.size() > 1) {
    add(cut);
  }
  return ways;
}

/// An input's tuples may lie on any sites, because they are read where they are needed (TRA §4).
/// Its readers compute there.
///
/// Condition: as many sites have tuples as before. All on one site would never have to move, but
/// one site would compute everything.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const tra::Op* op = ia::local_op(node);
  if (op == nullptr || !std::holds_alternative<tra::Input>(*op)) {
    return NotApplied{};
  }
  OneOfPlacements alternatives;
  for (ia::ByMap& map : ways_to_spread(around.graph(), node.type.key)) {
    if (node.placement != ia::Placement(map)) {
      ia::Node placed = node;
      placed.placement = std::move(map);
      alternatives.each.push_back({{std::move(placed)}});
    }
  }
  if (alternatives.each.empty()) {
    return NotApplied{"no other dimension has a piece for every site"};
  }
  return alternatives;
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"place_input", "let an input lie as what reads it wants it", Phase::explore,
                [] { return PlacementRewrite(&apply); },
                "an input placed by P = the input placed by Q (TRA §4: inputs start as the plan "
                "wants them), if as many sites have some"});
}

}  // namespace tessera::optimizer::rule_place_input
