#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/refusal.h"
#include "expr/function.h"
#include "expr/function_ids.h"
#include "optimizer/einsum/operand_list.h"
#include "optimizer/einsum/part_sum.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// sum[k] (a[i,k] * b[k,j] + c[i,k] * d[k,j] - e[j]) becomes the sums of its products and a
/// multiple of each term that is the same for every k: (sum[k] a * b) + (sum[k] c * d) - n * e,
/// with n positions of k. A sum of one product is a contraction, which has kernels (BLAS).
///
/// Conditions, with what goes wrong without them:
/// - every term is a product whose factors each lack some label, or has no label of the sum: for
///   sum[k] (a[i,k] * b[k,j] + x[i,j,k]) the loop over all labels stays, beside another one;
/// - at least one is such a product: sum[k] (x[k] + 1) gains nothing;
/// - a product has all labels of the sum: in sum[k,l] (a[i,k] * b[k,j] + c[l]) the product would be
///   added up once for each l;
/// - the sum has positions: over none, n * e is NaN for an infinite e;
/// - the aggregate is a sum, and its state the sum itself: a maximum is not the maximum of its
///   terms, and a mean's state has a count beside it;
/// - numbers, not truth values: there the sum is an or, and n no truth value.
///
/// Sums may round otherwise, like in every order of a sum. Both forms differ from the exact value
/// by a multiple of the rounding of sum |a * b| + sum |c * d| + n * |e|, whatever cancels. ((a -
/// b)^2 is deliberately no sum of products: there a - b is exact if a and b are close.)
namespace tessera::optimizer::rule_split_sum_of_products {

namespace {

using einsum::EinSum;
using einsum::Vertex;
using einsum::VertexId;
using expr::LabelNumber;

struct Term {
  int32_t node = 0;
  bool is_negative = false;
  bool is_repeated = false;  // the same for every position of the sum
};

bool has(const std::vector<LabelNumber>& labels, LabelNumber label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

bool is_wide(const EinSum& einsum, LabelNumber label) {
  return einsum.labels[static_cast<size_t>(label)].extent != 1;
}

/// Collects the terms below a node, from left to right.
void collect_terms(const expr::Scalar& body, int32_t number, bool is_negative,
                   std::vector<Term>& terms) {
  const expr::Node& node = body.nodes[static_cast<size_t>(number)];
  const auto* call = std::get_if<expr::Call>(&node.op);
  const bool is_term = call == nullptr || node.dtype != body.dtype();
  if (!is_term && (call->function == expr::id::kAdd || call->function == expr::id::kSubtract)) {
    const bool subtracts = call->function == expr::id::kSubtract;
    collect_terms(body, call->arguments[0], is_negative, terms);
    collect_terms(body, call->arguments[1], is_negative != subtracts, terms);
  } else if (!is_term && call->function == expr::id::kNegative) {
    collect_terms(body, call->arguments[0], !is_negative, terms);
  } else {
    terms.push_back({number, is_negative, false});
  }
}

/// True if a factor of a product lacks a label of the statement.
bool does_without(const EinSum& einsum, const expr::Scalar& factor) {
  const std::vector<LabelNumber> own = labels_in(factor);
  for (size_t label = 0; label < einsum.labels.size(); ++label) {
    const auto number = static_cast<LabelNumber>(label);
    if (is_wide(einsum, number) && !has(own, number)) {
      return true;
    }
  }
  return false;
}

bool is_product(const EinSum& einsum, const expr::Scalar& term) {
  const std::vector<int32_t> factors = factor_nodes(term);
  return !factors.empty() &&
         std::get<expr::Call>(term.nodes.back().op).function == expr::id::kMultiply &&
         std::all_of(factors.begin(), factors.end(),
                     [&](int32_t factor) { return does_without(einsum, part_of(term, factor)); });
}

/// Returns the terms, or why the sum is not split.
OrRefusal<std::vector<Term>> terms_of(const EinSum& einsum) {
  std::vector<Term> terms;
  collect_terms(einsum.body, static_cast<int32_t>(einsum.body.nodes.size()) - 1, false, terms);
  bool has_product = false;
  for (size_t number = 0; number < terms.size(); ++number) {
    const expr::Scalar part = part_of(einsum.body, terms[number].node);
    const std::vector<LabelNumber> own = labels_in(part);
    const auto is_in = [&](LabelNumber label) { return is_wide(einsum, label) && has(own, label); };
    const auto is_absent = [&](LabelNumber label) {
      return is_wide(einsum, label) && !has(own, label);
    };
    terms[number].is_repeated = std::none_of(einsum.over.begin(), einsum.over.end(), is_in);
    if (terms[number].is_repeated) {
      continue;
    }
    if (!is_product(einsum, part)) {
      return Refusal{fmt::format("term {} is no product of factors that each do without some label",
                                 number + 1)};
    }
    if (std::any_of(einsum.over.begin(), einsum.over.end(), is_absent)) {
      return Refusal{fmt::format("term {} does without a label of the sum", number + 1)};
    }
    has_product = true;
  }
  if (!has_product) {
    return Refusal{"no term is a product"};
  }
  return terms;
}

/// An adder of the sums of products and of the repeated terms.
class Total {
 public:
  Total(const Vertex& vertex, const EinSum& einsum)
      : vertex_(vertex),
        einsum_(einsum),
        made_(over_results(einsum)),
        operands_(vertex),
        numbers_(numbers_in_results(einsum)),
        state_(einsum.reduction->monoid.state.front()) {}

  void add_sum(const Term& term, VertexId sum) {
    expr::Access access = at_sum_of_part(einsum_, part_of(einsum_.body, term.node), numbers_);
    access.operand = operands_.add(sum);
    add(builder_.access(std::move(access), state_), term.is_negative);
  }

  void add_repeated(const Term& term, int64_t count) {
    const expr::Scalar part = part_of(einsum_.body, term.node);
    operands_.meet(part);
    const int32_t value = builder_.cast(operands_.copy(builder_, part, numbers_), state_);
    const int32_t times = builder_.cast(builder_.constant(count, DType::i64), state_);
    add(builder_.call(expr::id::kMultiply, {times, value}, state_), term.is_negative);
  }

  Vertex finish() {
    made_.body = builder_.finish(builder_.inline_scalar(einsum_.reduction->finalise, {total_}));
    Vertex total = vertex_;
    total.op = std::move(made_);
    total.operands = operands_.vertices();
    return total;
  }

 private:
  void add(int32_t value, bool is_negative) {
    if (total_ >= 0) {
      total_ = builder_.call(is_negative ? expr::id::kSubtract : expr::id::kAdd, {total_, value},
                             state_);
    } else {
      total_ = is_negative ? builder_.call(expr::id::kNegative, {value}, state_) : value;
    }
  }

  const Vertex& vertex_;
  const EinSum& einsum_;
  EinSum made_;
  OperandList operands_;
  std::vector<LabelNumber> numbers_;
  DType state_;
  expr::ScalarBuilder builder_;
  int32_t total_ = -1;
};

/// Refuses a sum of several terms that may not be added apart; nothing for all others.
std::optional<NotApplied> refuse(const EinSum& einsum) {
  const auto* root = std::get_if<expr::Call>(&einsum.body.nodes.back().op);
  if (root == nullptr ||
      (root->function != expr::id::kAdd && root->function != expr::id::kSubtract)) {
    return NotApplied{};
  }
  if (einsum.reduction->monoid.name != expr::id::kSum) {
    return NotApplied{fmt::format("{} is no sum", einsum.aggregate)};
  }
  if (!state_is_value(*einsum.reduction) || einsum.body.dtype() == DType::b1) {
    return NotApplied{
        fmt::format("the sum of {} is no sum of numbers", name_of(einsum.body.dtype()))};
  }
  if (num_reduced_positions(einsum) == 0) {
    return NotApplied{"nothing is summed"};
  }
  return std::nullopt;
}

Outcome apply(const Vertex& vertex, RuleContext& around) {
  const auto* einsum = std::get_if<EinSum>(&vertex.op);
  if (einsum == nullptr || !einsum->reduction) {
    return NotApplied{};
  }
  if (std::optional<NotApplied> refusal = refuse(*einsum)) {
    return std::move(*refusal);
  }
  const OrRefusal<std::vector<Term>> terms = terms_of(*einsum);
  if (!terms) {
    return NotApplied{terms.reason()};
  }
  Rewritten made;
  Total total(vertex, *einsum);
  for (const Term& term : *terms) {
    if (term.is_repeated) {
      total.add_repeated(term, num_reduced_positions(*einsum));
      continue;
    }
    const VertexId sum(static_cast<int64_t>(around.graph().vertices.size() + made.nodes.size()));
    made.nodes.push_back(
        sum_of_part(vertex, part_of(einsum->body, term.node), around.fresh_name(vertex.name)));
    total.add_sum(term, sum);
  }
  made.nodes.push_back(total.finish());
  return made;
}

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"split_sum_of_products", "add the products of a sum apart, each as a contraction",
                Phase::normalize, [] { return VertexRewrite(&apply); }});
}

}  // namespace tessera::optimizer::rule_split_sum_of_products
