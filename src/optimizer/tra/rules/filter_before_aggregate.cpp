#include <utility>

#include "expr/scalar.h"
#include "ir/tra/infer.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer::rule_filter_before_aggregate {

namespace {

/// Rewrites a predicate over the key of an aggregate's result as one over that of its input.
expr::Scalar over_input(expr::Scalar predicate, const std::vector<tra::KeyDim>& result,
                        const std::vector<tra::KeyDim>& input) {
  for (expr::Node& node : predicate.nodes) {
    if (auto* index = std::get_if<expr::IndexOf>(&node.op)) {
      const std::string& label = tra::label_of(result[static_cast<size_t>(index->label)]);
      index->label = static_cast<expr::LabelNumber>(tra::find_key_dim(input, label));
    }
  }
  return predicate;
}

/// R1-5 (TRA §5): filter_p(aggregate_g(R)) = aggregate_g(filter_p(R)): p is about the keys of the
/// result, which are those of g, and filtered tuples are neither merged nor moved to be merged.
///
/// Conditions: every kept dimension is that of g, because p counts its pieces. Only the filter
/// reads the aggregate: else it would be computed twice, and with p in it others would miss tuples.
/// Groups that the filter empties must not disturb readers: the pass that runs the rules takes back
/// a sweep whose graph is inconsistent.
RelationOutcome apply(const tra::Node& node, const RelationRuleContext& around) {
  const auto* filter = std::get_if<tra::Filter>(&node.op);
  if (filter == nullptr) {
    return NotApplied{};
  }
  const tra::Node& merged = around.graph().at(filter->input);
  const auto* aggregate = std::get_if<tra::Aggregate>(&merged.op);
  if (aggregate == nullptr) {
    return NotApplied{"what it filters is no aggregate"};
  }
  if (around.num_readers(filter->input) > 1) {
    return NotApplied{"others read what it filters"};
  }
  if (!aggregate->coarser.empty()) {
    return NotApplied{"it would filter by the pieces of which the aggregate merges runs"};
  }
  const std::vector<tra::KeyDim>& key = around.graph().at(aggregate->input).type.key;
  tra::Node kept = node;
  kept.op = tra::Filter{aggregate->input, over_input(filter->predicate, node.type.key, key)};
  kept.type = tra::infer_type(kept.op, tra::relations_of(around.graph()));
  const tra::NodeId made(static_cast<int64_t>(around.graph().nodes.size()));
  tra::Node aggregated = merged;
  aggregated.op = tra::with_inputs(merged.op, {made});
  aggregated.type = node.type;  // of as many tuples as the filter left
  return RelationRewritten{{std::move(kept), std::move(aggregated)}};
}

}  // namespace

void register_rule(RelationRuleRegistry& registry) {
  registry.add(
      {"filter_before_aggregate", "leave out tuples before they are merged", Phase::normalize,
       [] { return RelationRewrite(&apply); },
       "R1-5 of TRA §5: filter_p(agg_g(R)) = agg_g(filter_p(R)), if nothing else reads agg_g(R)"});
}

}  // namespace tessera::optimizer::rule_filter_before_aggregate
