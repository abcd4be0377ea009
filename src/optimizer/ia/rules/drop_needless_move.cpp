#include <utility>
#include <vector>

#include "ir/ia/placement_of.h"
#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_drop_needless_move {

namespace {

/// R2-4 and R2-7 (TRA §5): an aggregate over a shuffle is the aggregate of the shuffle's input, and
/// a join over moves the join of their inputs, if the tuples that meet lie together already.
///
/// Condition: they do (placement_of). Else partial sums of one key would stay on several sites, and
/// pairs that belong together would not meet.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const tra::Op* op = ia::local_op(node);
  if (op == nullptr) {
    return NotApplied{};
  }
  const std::vector<ia::NodeId> inputs = tra::inputs_of(*op);
  OneOfPlacements alternatives;
  std::string reason;
  for (size_t input = 0; input < inputs.size(); ++input) {
    std::vector<ia::NodeId> instead = inputs;
    instead[input] = unmoved(around.graph(), inputs[input]);
    if (instead[input] == inputs[input]) {
      continue;
    }
    ia::Node made = node;
    made.op = ia::with_inputs(std::get<ia::LocalOp>(node.op), instead);
    const OrRefusal<ia::Placement> inferred = ia::placement_of(around.graph(), made.op, node.type);
    if (inferred) {
      alternatives.each.push_back({{std::move(made)}});
    } else {
      reason = inferred.reason();
    }
  }
  if (alternatives.each.empty()) {
    return NotApplied{reason};
  }
  return alternatives;
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"drop_needless_move", "compute where tuples lie if those that meet lie together",
                Phase::explore, [] { return PlacementRewrite(&apply); },
                "R2-4 and R2-7 of TRA §5: agg_g(Shuf_D(R)) = agg_g(R) and join(Shuf(L), Shuf(R)) = "
                "join(L, R), if the tuples that meet lie together"});
}

}  // namespace tessera::optimizer::rule_drop_needless_move
