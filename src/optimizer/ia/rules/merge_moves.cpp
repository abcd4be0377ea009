#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_merge_moves {

namespace {

/// R2-1 (TRA §5): only the last move of a run of broadcasts and shuffles matters.
///
/// Condition: nothing else reads the result of a broadcast, or of a shuffle to several sites. Its
/// tuples are then there already, so that a shuffle to these sites moves none.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const std::optional<ia::NodeId> input = moved_by(node);
  const std::optional<ia::NodeId> before =
      input ? moved_by(around.graph().at(*input)) : std::nullopt;
  if (!before) {
    return NotApplied{};
  }
  const ia::Placement& between = around.graph().at(*input).placement;
  const bool has_copies = ia::is_everywhere(between) || ia::is_by_copies(between);
  if (has_copies && around.num_readers(*input) > 1) {
    return NotApplied{"others read what was broadcast, so that nothing is moved again"};
  }
  return PlacementRewritten{{moved_to(around.graph(), *before, node.placement, node.origin)}};
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"merge_moves", "move tuples once, to where they are moved last", Phase::normalize,
                [] { return PlacementRewrite(&apply); },
                "R2-1 of TRA §5: of a run of broadcasts and shuffles only the last one matters, if "
                "nothing else reads what a broadcast left everywhere"});
}

}  // namespace tessera::optimizer::rule_merge_moves
