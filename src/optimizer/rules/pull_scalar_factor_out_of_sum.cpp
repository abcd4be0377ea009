#include <vector>

#include <fmt/format.h>

#include "expr/function.h"
#include "expr/function_ids.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// sum(a * b * c) = sum(a * b) * c and sum(a * b / c) = sum(a * b) / c for a constant c: the rest
/// of the sum is a pure product, which has a contraction path and a BLAS kernel, and c is applied
/// once per result.
///
/// Conditions, with what goes wrong without them:
/// - the dtype is a float or complex: of integers 1/2 + 1/2 is 0, but (1+1)/2 is 1;
/// - multiplication distributes over the aggregate: max(-1*1, -1*2) is -1, but -1*max(1,2) is -2;
/// - the aggregate's state is the sum itself: a mean's state has a count beside it that c must not
/// scale;
/// - two factors are left: with one there is no contraction to gain, and one more vertex to store.
/// Sums may round otherwise, and overflow otherwise if c is small, like in every order of a sum.
namespace tessera::optimizer::rule_pull_scalar_factor_out_of_sum {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::Scalar;

/// A body taken apart: factors that depend on the element, and constants that multiply or divide,
/// in order.
struct Parts {
  struct Constant {
    int32_t node = 0;
    bool divides = false;
  };
  std::vector<int32_t> factors;
  std::vector<Constant> constants;
};

/// Returns, per node, true if it is the same for every element: nothing below it reads an operand
/// or an index.
std::vector<bool> constant_nodes(const Scalar& body) {
  std::vector<bool> constant;
  for (const expr::Node& node : body.nodes) {
    if (const auto* call = std::get_if<expr::Call>(&node.op)) {
      bool all = true;
      for (const int32_t argument : call->arguments) {
        all = all && constant[static_cast<size_t>(argument)];
      }
      constant.push_back(all);
    } else if (const auto* cast = std::get_if<expr::Cast>(&node.op)) {
      constant.push_back(constant[static_cast<size_t>(cast->argument)]);
    } else {
      constant.push_back(std::holds_alternative<expr::Constant>(node.op));
    }
  }
  return constant;
}

void take_apart(const Scalar& body, const std::vector<bool>& constant, int32_t number,
                Parts& parts) {
  const expr::Node& node = body.nodes[static_cast<size_t>(number)];
  const auto* call = std::get_if<expr::Call>(&node.op);
  if (constant[static_cast<size_t>(number)]) {
    parts.constants.push_back({number, false});
  } else if (call != nullptr && call->function == expr::id::kMultiply &&
             node.dtype == body.dtype()) {
    take_apart(body, constant, call->arguments[0], parts);
    take_apart(body, constant, call->arguments[1], parts);
  } else if (call != nullptr && call->function == expr::id::kDivide && node.dtype == body.dtype() &&
             constant[static_cast<size_t>(call->arguments[1])]) {
    take_apart(body, constant, call->arguments[0], parts);
    parts.constants.push_back({call->arguments[1], true});
  } else {
    parts.factors.push_back(number);
  }
}

/// Makes the product of the factors alone, in the dtype of the sum's state.
Scalar product_of_factors(const Scalar& body, const std::vector<int32_t>& factors, DType state) {
  expr::ScalarBuilder builder;
  int32_t product = -1;
  for (const int32_t factor : factors) {
    const int32_t copy = builder.cast(builder.inline_scalar(part_of(body, factor), {}), state);
    product = product < 0 ? copy : builder.call(expr::id::kMultiply, {product, copy}, state);
  }
  return builder.finish(product);
}

/// Makes the sum of the factors' product, kept as the state: a narrow float is not rounded before
/// the constants are applied.
Vertex sum_vertex(const Vertex& vertex, const EinSum& einsum, const Parts& parts,
                  std::string name) {
  Vertex sum = vertex;
  auto& made = std::get<EinSum>(sum.op);
  made.body =
      product_of_factors(einsum.body, parts.factors, einsum.reduction->monoid.state.front());
  made.reduction = over_states(*einsum.reduction);
  sum.type.dtype = made.reduction->result();
  sum.name = std::move(name);
  return sum;
}

/// Applies the constants to the sum, and finalises it.
Vertex scale_vertex(const Vertex& vertex, const EinSum& einsum, const Parts& parts,
                    einsum::VertexId sum) {
  const DType state = einsum.reduction->monoid.state.front();
  EinSum scale = over_results(einsum);
  expr::ScalarBuilder builder;
  int32_t value = builder.access(at_result(scale, 0), state);
  for (const Parts::Constant& constant : parts.constants) {
    const int32_t factor =
        builder.cast(builder.inline_scalar(part_of(einsum.body, constant.node), {}), state);
    value = builder.call(constant.divides ? expr::id::kDivide : expr::id::kMultiply,
                         {value, factor}, state);
  }
  scale.body = builder.finish(builder.inline_scalar(einsum.reduction->finalise, {value}));
  Vertex scaled = vertex;
  scaled.operands = {sum};
  scaled.op = std::move(scale);
  return scaled;
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  if (einsum == nullptr || !einsum->reduction) {
    return NotApplied{};
  }
  Parts parts;
  take_apart(einsum->body, constant_nodes(einsum->body),
             static_cast<int32_t>(einsum->body.nodes.size()) - 1, parts);
  if (parts.constants.empty() || parts.factors.size() < 2) {
    return NotApplied{};
  }
  const DType dtype = einsum->body.dtype();
  if (!is_float(dtype) && !is_complex(dtype)) {
    return NotApplied{
        fmt::format("{} is no float: a division would round otherwise", name_of(dtype))};
  }
  if (!around.context().functions.distributes_over(expr::id::kMultiply,
                                                   einsum->reduction->monoid.name)) {
    return NotApplied{fmt::format("multiply does not distribute over {}", einsum->aggregate)};
  }
  if (!state_is_value(*einsum->reduction)) {
    return NotApplied{fmt::format("the state of {} is not the sum alone", einsum->aggregate)};
  }
  const einsum::VertexId sum(static_cast<int64_t>(around.graph().vertices.size()));
  return Rewritten{{sum_vertex(vertex, *einsum, parts, around.fresh_name(vertex.name)),
                    scale_vertex(vertex, *einsum, parts, sum)}};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"pull_scalar_factor_out_of_sum",
                "multiply and divide a sum by constants once, after it", Phase::normalize,
                [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_pull_scalar_factor_out_of_sum
