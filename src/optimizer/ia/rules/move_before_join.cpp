#include <algorithm>
#include <utility>

#include "optimizer/ia/meeting.h"
#include "optimizer/ia/moves.h"

namespace tessera::optimizer::rule_move_before_join {

namespace {

/// R2-7 (TRA §5): Shuf_D(join(Shuf_kl(L), Shuf_kr(R))) = join(Shuf_D(L), Shuf_D(R)) if D is part of
/// the joined keys: the inputs go directly to where the result is needed, and a shuffle of the
/// result is free.
///
/// Conditions:
/// - all inputs have the labels of D: one without them would have to be everywhere;
/// - only the shuffle reads the join: other readers would need it at its old sites, and it would be
/// computed twice.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const auto* shuf = std::get_if<ia::Shuf>(&node.op);
  if (shuf == nullptr) {
    return NotApplied{};
  }
  const ia::Node& joined = around.graph().at(shuf->input);
  const tra::Op* op = ia::local_op(joined);
  const auto* join = op == nullptr ? nullptr : std::get_if<tra::Join>(op);
  if (join == nullptr) {
    return NotApplied{"what it moves is no join"};
  }
  if (around.num_readers(shuf->input) > 1) {
    return NotApplied{"others read what it moves"};
  }
  const ia::ByMap* map = ia::map_of(shuf->to);
  if (map == nullptr) {
    return NotApplied{"sites that stand in a table are in the order of other keys"};
  }
  const Meeting meeting(joined, *join, around.graph());
  for (size_t input = 0; input < meeting.num_inputs(); ++input) {
    if (!meeting.has(input, *map)) {
      return NotApplied{"not every input has the keys by which it is moved"};
    }
  }
  std::optional<PlacementRewritten> made = meeting.by(*map);
  if (!made) {
    return NotApplied{"nothing is joined"};
  }
  return std::move(*made);
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"move_before_join", "join tuples where the result is wanted", Phase::explore,
                [] { return PlacementRewrite(&apply); },
                "R2-7 of TRA §5: Shuf_D(join(Shuf(L), Shuf(R))) = join(Shuf_D(L), Shuf_D(R)), if D "
                "is part of the joined keys, and nothing else reads the join"});
}

}  // namespace tessera::optimizer::rule_move_before_join
