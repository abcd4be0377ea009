#include <utility>

#include <fmt/format.h>

#include "expr/index.h"
#include "ir/tra/infer.h"
#include "optimizer/tra/distributes.h"
#include "optimizer/tra/rule.h"

namespace tessera::optimizer::rule_transform_before_join {

namespace {

/// True if an access reads the element at which the result is made.
bool reads_in_place(const expr::Node& node, const std::vector<expr::LabelNumber>& out) {
  const auto* access = std::get_if<expr::Access>(&node.op);
  bool is_in_place = access != nullptr && access->index.size() == out.size();
  for (size_t mode = 0; is_in_place && mode < out.size(); ++mode) {
    is_in_place = expr::plain_label(access->index[mode]) == out[mode];
  }
  return is_in_place;
}

/// Returns the function by which a join's kernel makes each element of one of each input; empty for
/// other kernels.
std::string function_of_two(const tra::Join& join) {
  const expr::TileProgram& kernel = *join.kernel;
  if (join.inputs.size() != 2 || kernel.num_inputs != 2 || kernel.statements.size() != 1 ||
      !expr::is_map(kernel.statements[0]) || kernel.statements[0].bodies.size() != 1) {
    return "";
  }
  const std::vector<expr::Node>& nodes = kernel.statements[0].bodies[0].nodes;
  const auto* call = std::get_if<expr::Call>(&nodes.back().op);
  const bool is_of_two = nodes.size() == 3 && call != nullptr && call->arguments.size() == 2 &&
                         call->arguments[0] != call->arguments[1] &&
                         reads_in_place(nodes[0], kernel.statements[0].out) &&
                         reads_in_place(nodes[1], kernel.statements[0].out);
  return is_of_two ? call->function : "";
}

/// True if the key of an input has the same names as in the join.
bool keeps_names(const tra::RelationType& type, const std::vector<std::string>& match) {
  for (size_t dim = 0; dim < match.size(); ++dim) {
    if (tra::label_of(type.key[dim]) != match[dim]) {
      return false;
    }
  }
  return true;
}

/// Makes the kernel of two elements on the smaller tuples that a map makes.
expr::TileProgram on_mapped(const expr::TileProgram& two, const expr::TileProgram& map) {
  expr::TileProgram made{map.labels, 2, two.statements};
  expr::TileStatement& statement = made.statements[0];
  statement.out = map.statements[0].out;
  for (expr::Node& node : statement.bodies[0].nodes) {
    if (auto* access = std::get_if<expr::Access>(&node.op)) {
      access->index.clear();
      for (const expr::LabelNumber label : statement.out) {
        access->index.push_back(expr::plain(label));
      }
    }
  }
  return made;
}

/// R1-7 (TRA §5), its second half: map_f(join_K(L, R)) = join_K(map_f(L), map_f(R)) if f
/// distributes over K: smaller tuples are moved to be joined. (The paper maps the joined keys too,
/// which can change the matches; a transform leaves keys alone.)
///
/// Conditions:
/// - f(K(a, b)) = K(f(a), f(b)): the sum of products is not the product of sums (distributes.h);
/// - f makes tuples smaller than those of L and of R: else more would be computed, and no byte less
///   moved;
/// - keys have the names by which the kernel knows them;
/// - only the map reads the join: else it would be computed twice.
RelationOutcome apply(const tra::Node& node, const RelationRuleContext& around) {
  const auto* transform = std::get_if<tra::Transform>(&node.op);
  if (transform == nullptr) {
    return NotApplied{};
  }
  const tra::Node& joined = around.graph().at(transform->input);
  const auto* join = std::get_if<tra::Join>(&joined.op);
  const std::string function = join == nullptr ? "" : function_of_two(*join);
  if (function.empty()) {
    return NotApplied{"what it maps is no join of one element and another"};
  }
  if (around.num_readers(transform->input) > 1) {
    return NotApplied{"others read what it maps"};
  }
  if (!distributes_over(*transform->kernel, function)) {
    return NotApplied{fmt::format("it does not distribute over {}", function)};
  }
  RelationRewritten made;
  std::vector<tra::NodeId> inputs;
  for (size_t input = 0; input < join->inputs.size(); ++input) {
    const tra::RelationType& type = around.graph().at(join->inputs[input]).type;
    if (!keeps_names(type, join->match[input]) || type.columns != joined.type.columns) {
      return NotApplied{"its kernel knows what is joined by other names"};
    }
    if (tra::tuple_bytes(node.type) >= tra::tuple_bytes(type)) {
      return NotApplied{"it makes tuples no smaller"};
    }
    tra::Node mapped = node;
    mapped.op = tra::with_inputs(node.op, {join->inputs[input]});
    mapped.type = tra::infer_type(mapped.op, tra::relations_of(around.graph()));
    inputs.emplace_back(static_cast<int64_t>(around.graph().nodes.size() + made.nodes.size()));
    made.nodes.push_back(std::move(mapped));
  }
  tra::Join smaller{inputs, join->match, join->key, on_mapped(*join->kernel, *transform->kernel)};
  tra::Node after = joined;
  after.op = std::move(smaller);
  after.type = node.type;
  made.nodes.push_back(std::move(after));
  return made;
}

}  // namespace

void register_rule(RelationRuleRegistry& registry) {
  registry.add(
      {"transform_before_join", "make tuples smaller before they are joined", Phase::normalize,
       [] { return RelationRewrite(&apply); },
       "R1-7 of TRA §5: map_f(join_K(L, R)) = join_K(map_f(L), map_f(R)), if f distributes over K, "
       "makes tuples smaller than those of L and of R, and nothing else reads join_K(L, R)"});
}

}  // namespace tessera::optimizer::rule_transform_before_join
