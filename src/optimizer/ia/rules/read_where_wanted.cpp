#include "optimizer/ia/moves.h"
#include "optimizer/ia/rule.h"

namespace tessera::optimizer::rule_read_where_wanted {

namespace {

/// Shuf_P(Input) = Input placed by P: every site can read any tile of the user's files, so an input
/// is read by the site that needs it (TRA §4: inputs start where the plan needs them).
///
/// Condition: one copy of each tuple. The rule does not apply to broadcasts and shuffles that make
/// copies: if every site read all tiles, files would be read once per site.
PlacementOutcome apply(const ia::Node& node, const PlacementRuleContext& around) {
  const auto* shuf = std::get_if<ia::Shuf>(&node.op);
  if (shuf == nullptr) {
    return NotApplied{};
  }
  if (ia::is_by_copies(shuf->to)) {
    return NotApplied{"it makes copies"};
  }
  const ia::Node& moved = around.graph().at(shuf->input);
  const tra::Op* op = ia::local_op(moved);
  if (op == nullptr || !std::holds_alternative<tra::Input>(*op)) {
    return NotApplied{"what it shuffles is computed"};
  }
  ia::Node input = moved;
  input.placement = shuf->to;
  return PlacementRewritten{{input}};
}

}  // namespace

void register_rule(PlacementRuleRegistry& registry) {
  registry.add({"read_where_wanted", "read an input on the sites that want it", Phase::normalize,
                [] { return PlacementRewrite(&apply); },
                "Shuf_P(Input) = Input placed by P (TRA §4), if there is one copy of each tuple"});
}

}  // namespace tessera::optimizer::rule_read_where_wanted
