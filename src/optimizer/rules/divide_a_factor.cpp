#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/function.h"
#include "expr/function_ids.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// sum[k] a[i,k] * b[k,j] / s[k] = sum[k] a[i,k] * (b[k,j] / s[k]): the body becomes a product,
/// whose factors hoist_factors computes once, and b is divided k*j times, not i*k*j. A divisor goes
/// to the factor with the fewest elements among those that have all of its labels.
///
/// Conditions, with what goes wrong without them:
/// - floats or complex numbers: of integers 3 * 1 / 2 is 1, but 3 * (1 / 2) is 0;
/// - the products are summed: there is no kernel for max[k] a*b, and b / s would be written for
///   nothing;
/// - two factors are left, and each lacks some label: in sum[k] x[i,j,k] * y[k] / s[k] every x is
///   used once;
/// - a factor has all labels of the divisor: for a[i,k] * b[k,j] / n[i,j] it would be as large as
///   the whole iteration space;
/// - a divisor has labels: constants are the case of pull_scalar_factor_out_of_sum.
/// Each term is rounded as often as before; a quotient may overflow where the product would not
/// have, and the other way round.
namespace tessera::optimizer::rule_divide_a_factor {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using expr::LabelNumber;

/// The nodes of a body that are multiplied, and those by which they are divided.
struct Quotient {
  std::vector<int32_t> factors;
  std::vector<int32_t> divisors;
};

void take_apart(const expr::Scalar& body, int32_t number, bool divides, Quotient& parts) {
  const expr::Node& node = body.nodes[static_cast<size_t>(number)];
  const auto* call = std::get_if<expr::Call>(&node.op);
  const bool is_part = call == nullptr || node.dtype != body.dtype();
  if (!is_part && (call->function == expr::id::kMultiply || call->function == expr::id::kDivide)) {
    const bool is_quotient = call->function == expr::id::kDivide;
    take_apart(body, call->arguments[0], divides, parts);
    take_apart(body, call->arguments[1], divides != is_quotient, parts);
  } else {
    (divides ? parts.divisors : parts.factors).push_back(number);
  }
}

double num_elements(const EinSum& einsum, const std::vector<LabelNumber>& labels) {
  double elements = 1;
  for (const LabelNumber label : labels) {
    elements *= static_cast<double>(einsum.labels[static_cast<size_t>(label)].extent);
  }
  return elements;
}

bool has_all(const std::vector<LabelNumber>& labels, const std::vector<LabelNumber>& others) {
  return std::all_of(others.begin(), others.end(), [&](LabelNumber label) {
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  });
}

/// Chooses the factor that each divisor goes to, as positions in the list of factors.
OrRefusal<std::vector<size_t>> places_of(const EinSum& einsum, const Quotient& parts) {
  std::vector<std::vector<LabelNumber>> labels;
  std::vector<LabelNumber> all;
  for (size_t label = 0; label < einsum.labels.size(); ++label) {
    all.push_back(static_cast<LabelNumber>(label));
  }
  for (const int32_t factor : parts.factors) {
    labels.push_back(labels_in(part_of(einsum.body, factor)));
    if (num_elements(einsum, labels.back()) == num_elements(einsum, all)) {
      return Refusal{fmt::format("factor {} has every label: each of its elements is used once",
                                 labels.size())};
    }
  }
  std::vector<size_t> places;
  for (const int32_t divisor : parts.divisors) {
    const std::vector<LabelNumber> own = labels_in(part_of(einsum.body, divisor));
    std::optional<size_t> best;
    for (size_t factor = 0; factor < labels.size(); ++factor) {
      if (has_all(labels[factor], own) &&
          (!best || num_elements(einsum, labels[factor]) < num_elements(einsum, labels[*best]))) {
        best = factor;
      }
    }
    if (!best) {
      return Refusal{"no factor has all labels of the divisor"};
    }
    places.push_back(*best);
  }
  return places;
}

expr::Scalar divided_product(const expr::Scalar& body, const Quotient& parts,
                             const std::vector<size_t>& places) {
  expr::ScalarBuilder builder;
  const auto copy = [&](int32_t node) { return builder.inline_scalar(part_of(body, node), {}); };
  int32_t product = -1;
  for (size_t number = 0; number < parts.factors.size(); ++number) {
    int32_t factor = copy(parts.factors[number]);
    for (size_t divisor = 0; divisor < places.size(); ++divisor) {
      if (places[divisor] == number) {
        factor =
            builder.call(expr::id::kDivide, {factor, copy(parts.divisors[divisor])}, body.dtype());
      }
    }
    product =
        product < 0 ? factor : builder.call(expr::id::kMultiply, {product, factor}, body.dtype());
  }
  return builder.finish(product);
}

/// True if one of them has no labels.
bool any_is_constant(const expr::Scalar& body, const std::vector<int32_t>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](int32_t node) { return expr::labels_below(body, node).empty(); });
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  if (einsum == nullptr || !einsum->reduction) {
    return NotApplied{};
  }
  const auto* root = std::get_if<expr::Call>(&einsum->body.nodes.back().op);
  if (root == nullptr || root->function != expr::id::kDivide) {
    return NotApplied{};
  }
  Quotient parts;
  take_apart(einsum->body, static_cast<int32_t>(einsum->body.nodes.size()) - 1, false, parts);
  if (parts.factors.size() < 2 || any_is_constant(einsum->body, parts.divisors)) {
    return NotApplied{};
  }
  const DType dtype = einsum->body.dtype();
  if (!is_float(dtype) && !is_complex(dtype)) {
    return NotApplied{
        fmt::format("{} is no float: a quotient would be rounded down", name_of(dtype))};
  }
  if (!around.context().functions.distributes_over(expr::id::kMultiply,
                                                   einsum->reduction->monoid.name)) {
    return NotApplied{fmt::format("multiply does not distribute over {}", einsum->aggregate)};
  }
  const OrRefusal<std::vector<size_t>> places = places_of(*einsum, parts);
  if (!places) {
    return NotApplied{places.reason()};
  }
  Vertex divided = vertex;
  std::get<EinSum>(divided.op).body = divided_product(einsum->body, parts, *places);
  return Rewritten{{std::move(divided)}};
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"divide_a_factor", "divide a factor of a contraction before it is multiplied",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_divide_a_factor
