#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "expr/function.h"
#include "expr/function_ids.h"
#include "optimizer/einsum/operand_list.h"
#include "optimizer/einsum/part_sum.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// sum[k] w[i,j] * (x[i,k] - y[k,j])^2 = w[i,j] * sum[k] (x[i,k] - y[k,j])^2 for a factor that is
/// the same for every k: the rest of the sum is a function of two operands, which has kernels
/// (semiring), and w is applied once per result.
///
/// Conditions, with what goes wrong without them:
/// - multiplication distributes over the aggregate: max(-1*1, -1*2) is -1, but -1*max(1,2) is -2;
/// - the aggregate's state is the sum itself: a mean's state has a count beside it that w must not
/// scale;
/// - the sum has positions: over none, w * 0 is NaN for an infinite w;
/// - the factor has labels: constants are the case of pull_scalar_factor_out_of_sum;
/// - the rest is computed from two operands: a product of stored tensors is a contraction, which
///   orders its factors itself, and sum[k] w[i] * exp(x[i,k]) would become two passes instead of
///   one.
/// Sums may round otherwise, and overflow otherwise if w is small, like in every order of a sum. An
/// infinite w makes a term that is 0 NaN, and the whole sum with it; after the sum it meets a zero
/// only if all terms are 0. The same holds wherever a factor is taken out of a sum
/// (contraction_path).
namespace tessera::optimizer::rule_pull_factor_out_of_sum {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

/// The factors of a sum's body, as nodes of it.
struct Parts {
  std::vector<int32_t> fixed;  // the same for every summed position
  std::vector<int32_t> summed;
};

bool is_fixed(const EinSum& einsum, int32_t node) {
  const std::vector<LabelNumber> own = labels_in(part_of(einsum.body, node));
  return !own.empty() && std::none_of(own.begin(), own.end(), [&](LabelNumber label) {
    return std::find(einsum.over.begin(), einsum.over.end(), label) != einsum.over.end();
  });
}

Parts parts_of(const EinSum& einsum) {
  Parts parts;
  for (const int32_t node : factor_nodes(einsum.body)) {
    (is_fixed(einsum, node) ? parts.fixed : parts.summed).push_back(node);
  }
  return parts;
}

/// True if the rest is computed, from two operands or more.
bool joins_operands(const EinSum& einsum, const std::vector<int32_t>& nodes) {
  std::set<int32_t> operands;
  bool is_computed = false;
  for (const int32_t node : nodes) {
    is_computed = is_computed || !factor_at(einsum.body, node);
    const expr::Scalar part = part_of(einsum.body, node);
    for (const expr::Access* access : expr::accesses_of(part)) {
      operands.insert(access->operand);
    }
  }
  return is_computed && operands.size() > 1;
}

expr::Scalar product_of_nodes(const expr::Scalar& body, const std::vector<int32_t>& nodes) {
  expr::ScalarBuilder builder;
  int32_t product = -1;
  for (const int32_t node : nodes) {
    const int32_t factor = builder.inline_scalar(part_of(body, node), {});
    product =
        product < 0 ? factor : builder.call(expr::id::kMultiply, {product, factor}, body.dtype());
  }
  return builder.finish(product);
}

/// Multiplies the sum with the factors taken out of it, and finalises it.
Vertex scaled_vertex(const Vertex& vertex, const EinSum& einsum, const Parts& parts,
                     const expr::Scalar& left, einsum::VertexId sum) {
  const DType state = einsum.reduction->monoid.state.front();
  const std::vector<LabelNumber> numbers = numbers_in_results(einsum);
  EinSum scaled = over_results(einsum);
  OperandList operands(vertex);
  expr::ScalarBuilder builder;
  expr::Access access = at_sum_of_part(einsum, left, numbers);
  access.operand = operands.add(sum);
  int32_t value = builder.access(std::move(access), state);
  for (const int32_t node : parts.fixed) {
    const expr::Scalar factor = part_of(einsum.body, node);
    operands.meet(factor);
    const int32_t copy = builder.cast(operands.copy(builder, factor, numbers), state);
    value = builder.call(expr::id::kMultiply, {value, copy}, state);
  }
  scaled.body = builder.finish(builder.inline_scalar(einsum.reduction->finalise, {value}));
  Vertex made = vertex;
  made.op = std::move(scaled);
  made.operands = operands.vertices();
  return made;
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  if (einsum == nullptr || !einsum->reduction) {
    return NotApplied{};
  }
  const auto* root = std::get_if<expr::Call>(&einsum->body.nodes.back().op);
  if (root == nullptr || root->function != expr::id::kMultiply) {
    return NotApplied{};
  }
  const Parts parts = parts_of(*einsum);
  if (parts.fixed.empty()) {
    return NotApplied{};
  }
  if (!joins_operands(*einsum, parts.summed)) {
    return NotApplied{"what is left of the sum is not computed from two operands"};
  }
  if (!around.context().functions.distributes_over(expr::id::kMultiply,
                                                   einsum->reduction->monoid.name)) {
    return NotApplied{fmt::format("multiply does not distribute over {}", einsum->aggregate)};
  }
  if (!state_is_value(*einsum->reduction)) {
    return NotApplied{fmt::format("the state of {} is not the sum alone", einsum->aggregate)};
  }
  if (num_reduced_positions(*einsum) == 0) {
    return NotApplied{"nothing is summed"};
  }
  const expr::Scalar left = product_of_nodes(einsum->body, parts.summed);
  const einsum::VertexId sum(static_cast<int64_t>(around.graph().vertices.size()));
  Rewritten made;
  made.nodes.push_back(sum_of_part(vertex, left, around.fresh_name(vertex.name)));
  made.nodes.push_back(scaled_vertex(vertex, *einsum, parts, left, sum));
  return made;
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"pull_factor_out_of_sum",
                "multiply a sum by what is the same for all its terms, after it", Phase::normalize,
                [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_pull_factor_out_of_sum
