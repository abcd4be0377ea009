#include <algorithm>

#include <fmt/format.h>

#include "expr/aggregate.h"
#include "expr/function_ids.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// mean[k] a[i,k]*b[k,j] = (sum[k] a[i,k]*b[k,j]) / n for n summed positions: a sum of products has
/// a contraction path and a BLAS kernel. The sum is the one in the mean's state, in the same dtype,
/// and n is the count in it, so the mean's own finalise makes the result of them; over no positions
/// that is 0 / 0, like before.
///
/// Conditions, with what goes wrong without them:
/// - a product of two factors or more, one of which lacks some label: for one operand the mean's
///   kernel is as fast, and the quotient would be one more statement;
/// - the product is of floats or complex numbers: i32 wraps in a product, while a mean is summed in
///   f64, so there is no product of one dtype for a kernel.
namespace tessera::optimizer::rule_mean_of_product {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

bool is_same(const expr::BoundAggregate& a, const expr::BoundAggregate& b) {
  return a.monoid == b.monoid && a.lift == b.lift && a.finalise == b.finalise;
}

/// True if some factor lacks a label, so that its elements are used again.
bool is_used_again(const EinSum& einsum, const std::vector<int32_t>& factors) {
  return std::any_of(factors.begin(), factors.end(), [&](int32_t node) {
    const std::vector<LabelNumber> read = labels_in(part_of(einsum.body, node));
    for (size_t label = 0; label < einsum.labels.size(); ++label) {
      const bool has_it =
          std::find(read.begin(), read.end(), static_cast<LabelNumber>(label)) != read.end();
      if (!has_it && einsum.labels[label].extent != 1) {
        return true;
      }
    }
    return false;
  });
}

class MeanOfProduct {
 public:
  Outcome operator()(const Vertex& vertex, RuleContext& around) const {
    const auto* einsum = std::get_if<EinSum>(&vertex.op);
    if (einsum == nullptr || !einsum->reduction) {
      return NotApplied{};
    }
    const DType dtype = einsum->body.dtype();
    const auto* root = std::get_if<expr::Call>(&einsum->body.nodes.back().op);
    const expr::AggregateRegistry& aggregates = around.context().aggregates;
    if (root == nullptr || root->function != expr::id::kMultiply ||
        !is_same(*einsum->reduction, aggregates.find(expr::id::kMean)->bind(dtype))) {
      return NotApplied{};
    }
    if (compute_type(dtype) != einsum->reduction->monoid.state.front()) {
      return NotApplied{fmt::format("the mean of {} is summed in {}", name_of(dtype),
                                    name_of(einsum->reduction->monoid.state.front()))};
    }
    if (!is_used_again(*einsum, factor_nodes(einsum->body))) {
      return NotApplied{"every factor has every label: the mean's kernel is as fast"};
    }
    const einsum::VertexId sum(static_cast<int64_t>(around.graph().vertices.size()));
    return Rewritten{{sum_vertex(vertex, around.fresh_name(vertex.name), aggregates),
                      quotient_vertex(vertex, sum)}};
  }

 private:
  /// Makes the sum in the state's dtype: a narrow float is not rounded before it is divided.
  static Vertex sum_vertex(const Vertex& vertex, std::string name,
                           const expr::AggregateRegistry& aggregates) {
    Vertex sum = vertex;
    auto& made = std::get<EinSum>(sum.op);
    const DType state = made.reduction->monoid.state.front();
    expr::ScalarBuilder builder;
    const expr::Scalar body = made.body;
    made.body = builder.finish(
        copy_product(builder, body, state, [&](expr::ScalarBuilder& to, int32_t factor) {
          return to.cast(to.inline_scalar(part_of(body, factor), {}), state);
        }));
    made.aggregate = expr::id::kSum;
    made.reduction = aggregates.find(expr::id::kSum)->bind(state);
    sum.type.dtype = state;
    sum.name = std::move(name);
    return sum;
  }

  static Vertex quotient_vertex(const Vertex& vertex, einsum::VertexId sum) {
    const auto& mean = std::get<EinSum>(vertex.op);
    int64_t count = 1;
    for (const LabelNumber label : mean.over) {
      count *= mean.labels[static_cast<size_t>(label)].extent;
    }
    EinSum quotient = over_results(mean);
    expr::ScalarBuilder builder;
    const int32_t total =
        builder.access(at_result(quotient, 0), mean.reduction->monoid.state.front());
    const int32_t number = builder.constant(count, DType::i64);
    quotient.body =
        builder.finish(builder.inline_scalar(mean.reduction->finalise, {total, number}));
    Vertex divided = vertex;
    divided.operands = {sum};
    divided.op = std::move(quotient);
    return divided;
  }
};

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"mean_of_product", "compute the mean of a product as a sum over the count",
                Phase::normalize, [] { return VertexRewrite(MeanOfProduct()); }});
}

}  // namespace tessera::optimizer::rule_mean_of_product
