#include <utility>

#include "ir/tra/infer.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer::rule_filter_before_transform {

namespace {

/// R1-3 (TRA §5): filter_p(map(R)) = map(filter_p(R)) if the map keeps keys: filtered tuples are
/// not computed.
///
/// Conditions:
/// - the map is a transform: a rekey changes keys, and with them the meaning of p;
/// - only the filter reads the map: else it would be computed twice.
RelationOutcome apply(const tra::Node& node, const RelationRuleContext& around) {
  const auto* filter = std::get_if<tra::Filter>(&node.op);
  if (filter == nullptr) {
    return NotApplied{};
  }
  const tra::Node& mapped = around.graph().at(filter->input);
  if (std::holds_alternative<tra::Rekey>(mapped.op)) {
    return NotApplied{"what it filters has other keys than what that is made of"};
  }
  const auto* transform = std::get_if<tra::Transform>(&mapped.op);
  if (transform == nullptr) {
    return NotApplied{"what it filters is no map"};
  }
  if (around.num_readers(filter->input) > 1) {
    return NotApplied{"others read what it filters"};
  }
  tra::Node kept = node;
  kept.op = tra::with_inputs(node.op, {transform->input});
  kept.type = tra::infer_type(kept.op, tra::relations_of(around.graph()));
  const tra::NodeId made(static_cast<int64_t>(around.graph().nodes.size()));
  tra::Node after = mapped;
  after.op = tra::with_inputs(mapped.op, {made});
  after.type = node.type;
  return RelationRewritten{{std::move(kept), std::move(after)}};
}

}  // namespace

void register_rule(RelationRuleRegistry& registry) {
  registry.add({"filter_before_transform", "leave out tuples before they are computed",
                Phase::normalize, [] { return RelationRewrite(&apply); },
                "R1-3 of TRA §5: filter_p(map(R)) = map(filter_p(R)), if the map leaves keys as "
                "they are, and nothing else reads map(R)"});
}

}  // namespace tessera::optimizer::rule_filter_before_transform
