#include <fmt/format.h>

#include "ir/ia/placement_of.h"
#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_drop_idle_move {

namespace {

/// Bcast(R) = R if R lies everywhere, and Shuf_P(R) = R if R lies by P.
///
/// Condition: every tuple already lies at the target. Two maps that agree on most keys are not
/// enough: the remaining tuples would be joined and merged apart from those they belong to.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const std::optional<ia::NodeId> input = moved_by(node);
  if (!input) {
    return NotApplied{};
  }
  const ia::Node& moved = around.graph().at(*input);
  if (!ia::lie_alike(node.placement, moved.placement, node.type.key, around.graph().num_sites)) {
    return NotApplied{fmt::format("it moves tuples from {} to {}", ia::to_string(moved.placement),
                                  ia::to_string(node.placement))};
  }
  return PlacementReplaced{*input};
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"drop_idle_move", "leave out a move to where tuples lie", Phase::normalize,
                [] { return PlacementRewrite(&apply); },
                "Bcast(R) = R where R lies everywhere, Shuf_P(R) = R where R lies by P, if every "
                "tuple lies where the move sends it"});
}

}  // namespace tessera::optimizer::rule_drop_idle_move
