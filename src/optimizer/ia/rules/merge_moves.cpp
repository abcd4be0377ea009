#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer {

namespace {

/// R2-1 (TRA §5): of a run of broadcasts and shuffles only the last one matters.
///
/// Condition: nothing else reads what a broadcast left everywhere. Its tuples are on every site
/// then, so that a shuffle of them moves none.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const std::optional<ia::NodeId> input = moved_by(node);
  const std::optional<ia::NodeId> before =
      input ? moved_by(around.graph().at(*input)) : std::nullopt;
  if (!before) {
    return NotApplied{};
  }
  const bool is_everywhere = ia::is_everywhere(around.graph().at(*input).placement);
  if (is_everywhere && around.num_readers(*input) > 1) {
    return NotApplied{"others read what was broadcast, so that nothing is moved again"};
  }
  return PlacementRewritten{{moved_to(around.graph(), *before, node.placement, node.origin)}};
}

}  // namespace

void register_rule_merge_moves(PlacementRuleRegistry& registry) {
  registry.add({"merge_moves", "move tuples once, to where they are moved last", Phase::normalize,
                [] { return PlacementRewrite(&apply); }});
}

}  // namespace tessera::optimizer
