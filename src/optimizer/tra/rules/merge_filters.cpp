#include <utility>

#include "expr/function_ids.h"
#include "expr/scalar.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer::rule_merge_filters {

namespace {

/// R1-1 (TRA §5): filter_p(filter_q(R)) = filter_{q and p}(R).
///
/// Condition: only this filter reads the other. Else both would be computed from all of R.
RelationOutcome apply(const tra::Node& node, const RelationRuleContext& around) {
  const auto* filter = std::get_if<tra::Filter>(&node.op);
  if (filter == nullptr) {
    return NotApplied{};
  }
  const auto* before = std::get_if<tra::Filter>(&around.graph().at(filter->input).op);
  if (before == nullptr) {
    return NotApplied{"what it filters is no filter"};
  }
  if (around.num_readers(filter->input) > 1) {
    return NotApplied{"others read what it filters"};
  }
  expr::ScalarBuilder both;
  const int32_t first = both.inline_scalar(before->predicate, {});
  const int32_t second = both.inline_scalar(filter->predicate, {});
  tra::Node merged = node;
  merged.op = tra::Filter{
      before->input, both.finish(both.call(expr::id::kLogicalAnd, {first, second}, DType::b1))};
  return RelationRewritten{{std::move(merged)}};
}

}  // namespace

void register_rule(RelationRuleRegistry& registry) {
  registry.add({"merge_filters", "filter once by both predicates", Phase::normalize,
                [] { return RelationRewrite(&apply); },
                "R1-1 of TRA §5: filter_p(filter_q(R)) = filter_{q and p}(R), if nothing else "
                "reads filter_q(R)"});
}

}  // namespace tessera::optimizer::rule_merge_filters
