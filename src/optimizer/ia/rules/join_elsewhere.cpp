#include <optional>
#include <utility>

#include "optimizer/ia/meeting.h"
#include "optimizer/ia/moves.h"

namespace tessera::optimizer::rule_join_elsewhere {

namespace {

/// R2-6 (TRA §5): the tuples of a join meet at one input, to which the others are broadcast, or at
/// sites to which inputs are shuffled by labels that they share:
///   join(Bcast L, R) = join(L, Bcast R) = join(Shuf_kl L, Shuf_kr R).
///
/// Conditions:
/// - every other input has a copy at each tuple of the one that stays, so that each pair meets
/// once: two inputs that both stay, by unlike maps, would lose pairs;
/// - a shuffle by labels uses every site: by a label with one piece, one site would compute all.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const tra::Op* op = ia::local_op(node);
  const auto* join = op == nullptr ? nullptr : std::get_if<tra::Join>(op);
  if (join == nullptr || join->inputs.size() < 2) {
    return NotApplied{};
  }
  const Meeting meeting(node, *join, around.graph());
  if (meeting.is_everywhere()) {
    return NotApplied{"all that meets is everywhere"};
  }
  OneOfPlacements alternatives;
  const auto add = [&](std::optional<PlacementRewritten> rewritten) {
    if (rewritten) {
      alternatives.each.push_back(std::move(*rewritten));
    }
  };
  for (size_t input = 0; input < join->inputs.size(); ++input) {
    if (!meeting.lies_everywhere(input)) {
      add(meeting.around_input(input));
      add(meeting.along(input));
    }
  }
  for (const tra::KeyDim& dim : node.type.key) {
    for (const ia::ByMap& map : ways_along(around.graph(), node.type.key, tra::label_of(dim))) {
      add(meeting.by(map));
    }
  }
  return alternatives;
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"join_elsewhere", "move other inputs of a join, or move them by what they share",
                Phase::explore, [] { return PlacementRewrite(&apply); },
                "R2-6 of TRA §5: join(Bcast(L), R) = join(L, Bcast(R)) = join(Shuf_kl(L), "
                "Shuf_kr(R)), if one copy of each pair meets, and every site has some"});
}

}  // namespace tessera::optimizer::rule_join_elsewhere
