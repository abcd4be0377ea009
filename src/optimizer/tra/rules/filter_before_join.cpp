#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "expr/scalar.h"
#include "ir/tra/infer.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer::rule_filter_before_join {

namespace {

/// Returns the labels of a join that a predicate over its key reads.
std::set<std::string> labels_read(const expr::Scalar& predicate, const tra::Join& join) {
  std::set<std::string> labels;
  for (const expr::Node& node : predicate.nodes) {
    if (const auto* index = std::get_if<expr::IndexOf>(&node.op)) {
      labels.insert(tra::label_of(join.key[static_cast<size_t>(index->label)]));
    }
  }
  return labels;
}

/// Rewrites the predicate over the key of an input that has all its labels.
expr::Scalar over_input(expr::Scalar predicate, const tra::Join& join, size_t input) {
  const std::vector<std::string>& match = join.match[input];
  for (expr::Node& node : predicate.nodes) {
    if (auto* index = std::get_if<expr::IndexOf>(&node.op)) {
      const std::string& label = tra::label_of(join.key[static_cast<size_t>(index->label)]);
      const auto dim = std::find(match.begin(), match.end(), label) - match.begin();
      index->label = static_cast<expr::LabelNumber>(dim);
    }
  }
  return predicate;
}

/// R1-6 (TRA §5): filter_p(join(L, R)) = join(filter_p(L), filter_p(R)), with p over each side's
/// own key: filtered tuples are neither moved nor joined.
///
/// Conditions:
/// - p reads joined keys only, which every input has. A filter of L alone, by a key that R lacks,
///   would leave tuples of R without their partners, and whether that is right depends on the
///   aggregate above (ir/tra/absence.h);
/// - only the filter reads the join: else it would be computed twice.
RelationOutcome apply(const tra::Node& node, const RelationRuleContext& around) {
  const auto* filter = std::get_if<tra::Filter>(&node.op);
  if (filter == nullptr) {
    return NotApplied{};
  }
  const tra::Node& joined = around.graph().at(filter->input);
  const auto* join = std::get_if<tra::Join>(&joined.op);
  if (join == nullptr || join->inputs.empty()) {
    return NotApplied{"what it filters is no join"};
  }
  if (around.num_readers(filter->input) > 1) {
    return NotApplied{"others read what it filters"};
  }
  for (const std::string& label : labels_read(filter->predicate, *join)) {
    for (const std::vector<std::string>& match : join->match) {
      if (std::find(match.begin(), match.end(), label) == match.end()) {
        return NotApplied{fmt::format("not every input has the key {}", label)};
      }
    }
  }
  RelationRewritten made;
  std::vector<tra::NodeId> inputs;
  for (size_t input = 0; input < join->inputs.size(); ++input) {
    tra::Node kept = node;
    kept.op = tra::Filter{join->inputs[input], over_input(filter->predicate, *join, input)};
    kept.type = tra::infer_type(kept.op, tra::relations_of(around.graph()));
    inputs.emplace_back(static_cast<int64_t>(around.graph().nodes.size() + made.nodes.size()));
    made.nodes.push_back(std::move(kept));
  }
  tra::Node after = joined;
  after.op = tra::with_inputs(joined.op, inputs);
  after.type = node.type;
  made.nodes.push_back(std::move(after));
  return made;
}

}  // namespace

void register_rule(RelationRuleRegistry& registry) {
  registry.add({"filter_before_join", "leave out tuples before they are joined", Phase::normalize,
                [] { return RelationRewrite(&apply); },
                "R1-6 of TRA §5: filter_p(join(L, R)) = join(filter_p(L), filter_p(R)), if p reads "
                "joined keys only, and nothing else reads join(L, R)"});
}

}  // namespace tessera::optimizer::rule_filter_before_join
