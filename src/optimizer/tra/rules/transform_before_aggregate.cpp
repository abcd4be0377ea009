#include <utility>

#include <fmt/format.h>

#include "expr/index.h"
#include "ir/tra/infer.h"
#include "optimizer/tra/distributes.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer::rule_transform_before_aggregate {

namespace {

/// R1-4 (TRA §5): map_f(aggregate_op(R)) = aggregate_op(map_f(R)) if f distributes over op: smaller
/// tuples are moved to be merged.
///
/// Conditions:
/// - f(op(a, b)) = op(f(a), f(b)): the maximum of a sum of tiles is not the sum of their maxima
///   (distributes.h);
/// - it makes tuples smaller: else it would be computed for every merged tuple instead of each
///   result, and no byte less would be moved;
/// - no label of the kernel has the name of a merged key, and no mode is cut by one: in the tuples
///   of R it would be a piece of that key;
/// - only the map reads the aggregate: else it would be computed twice;
/// - the order of merging is not stated: the results would be those of another order.
RelationOutcome apply(const tra::Node& node, const RelationRuleContext& around) {
  const auto* transform = std::get_if<tra::Transform>(&node.op);
  if (transform == nullptr) {
    return NotApplied{};
  }
  const tra::Node& merged = around.graph().at(transform->input);
  const auto* aggregate = std::get_if<tra::Aggregate>(&merged.op);
  if (aggregate == nullptr) {
    return NotApplied{"what it maps is no aggregate"};
  }
  if (around.num_readers(transform->input) > 1) {
    return NotApplied{"others read what it maps"};
  }
  if (aggregate->order != tra::MergeOrder::sequence) {
    return NotApplied{"the order of merging is stated"};
  }
  if (!distributes_over(*transform->kernel, aggregate->monoid)) {
    return NotApplied{fmt::format("it does not distribute over {}", aggregate->monoid.name)};
  }
  const tra::RelationType& from = around.graph().at(aggregate->input).type;
  if (tra::tuple_bytes(node.type) >= tra::tuple_bytes(merged.type)) {
    return NotApplied{"it makes tuples no smaller"};
  }
  for (const tra::KeyDim& dim : from.key) {
    const std::string& label = tra::label_of(dim);
    if (tra::find_key_dim(merged.type.key, label) < 0 &&
        expr::find_label(*transform->kernel, label) >= 0) {
      return NotApplied{
          fmt::format("its kernel has a label {}, as the keys that are merged", label)};
    }
  }
  if (from.columns != merged.type.columns) {
    return NotApplied{"a mode is cut by the keys that are merged"};
  }
  tra::Node before = node;
  before.op = tra::with_inputs(node.op, {aggregate->input});
  before.type = tra::infer_type(before.op, tra::relations_of(around.graph()));
  const tra::NodeId made(static_cast<int64_t>(around.graph().nodes.size()));
  tra::Node after = merged;
  after.op = tra::with_inputs(merged.op, {made});
  after.type = node.type;
  return RelationRewritten{{std::move(before), std::move(after)}};
}

}  // namespace

void register_rule(RelationRuleRegistry& registry) {
  registry.add({"transform_before_aggregate", "make tuples smaller before they are merged",
                Phase::normalize, [] { return RelationRewrite(&apply); },
                "R1-4 of TRA §5: map_f(agg_op(R)) = agg_op(map_f(R)), if f distributes over op, "
                "makes tuples smaller, names no merged key, nothing else reads agg_op(R), and no "
                "order is stated"});
}

}  // namespace tessera::optimizer::rule_transform_before_aggregate
