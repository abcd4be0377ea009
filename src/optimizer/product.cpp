#include "optimizer/product.h"

#include <algorithm>

#include "expr/function.h"

namespace tessera::optimizer {

namespace {

using expr::LabelNumber;
using expr::Scalar;

const expr::Node& node_at(const Scalar& scalar, int32_t number) {
  return scalar.nodes[static_cast<size_t>(number)];
}

/// The access below any casts of a node; nothing if there is something else.
std::optional<Factor> factor_at(const Scalar& body, int32_t number) {
  Factor factor;
  const expr::Node* node = &node_at(body, number);
  while (const auto* cast = std::get_if<expr::Cast>(&node->op)) {
    factor.casts.insert(factor.casts.begin(), node->dtype);
    node = &node_at(body, cast->argument);
  }
  const auto* access = std::get_if<expr::Access>(&node->op);
  if (access == nullptr) {
    return std::nullopt;
  }
  factor.access = *access;
  factor.stored = node->dtype;
  return factor;
}

/// Appends the factors below a node; false if one is no access.
bool collect_factors(const Scalar& body, int32_t number, Product& product) {
  const expr::Node& node = node_at(body, number);
  const auto* call = std::get_if<expr::Call>(&node.op);
  if (call != nullptr && call->function == product.function && node.dtype == product.dtype) {
    return std::all_of(call->arguments.begin(), call->arguments.end(),
                       [&](int32_t argument) { return collect_factors(body, argument, product); });
  }
  std::optional<Factor> factor = factor_at(body, number);
  if (!factor || node.dtype != product.dtype) {
    return false;
  }
  product.factors.push_back(std::move(*factor));
  return true;
}

/// Whether a scalar is Parameter 0, cast or not.
bool passes_parameter(const Scalar& scalar) {
  const auto* parameter = std::get_if<expr::Parameter>(&scalar.nodes.front().op);
  const bool casts_only = std::all_of(
      scalar.nodes.begin() + 1, scalar.nodes.end(),
      [](const expr::Node& node) { return std::holds_alternative<expr::Cast>(node.op); });
  return parameter != nullptr && parameter->position == 0 && casts_only;
}

}  // namespace

std::optional<Product> product_of(const Scalar& body) {
  const auto* root = std::get_if<expr::Call>(&body.nodes.back().op);
  if (root == nullptr || root->arguments.size() != 2) {
    return std::nullopt;
  }
  Product product{root->function, body.dtype(), {}};
  if (!collect_factors(body, static_cast<int32_t>(body.nodes.size()) - 1, product)) {
    return std::nullopt;
  }
  return product;
}

bool state_is_value(const expr::BoundAggregate& reduction) {
  return reduction.lift.size() == 1 && passes_parameter(reduction.lift.front()) &&
         passes_parameter(reduction.finalise);
}

expr::BoundAggregate over_states(const expr::BoundAggregate& reduction) {
  const Scalar same{{expr::Node{expr::Parameter{0}, reduction.monoid.state.front()}}};
  return {reduction.monoid, {same}, same, reduction.defined_on_empty};
}

std::vector<LabelNumber> labels_of(const expr::Access& access) {
  std::vector<LabelNumber> labels;
  for (const expr::AffineIndex& index : access.index) {
    for (const expr::AffineIndex::Term& term : index.terms) {
      labels.push_back(term.label);
    }
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

bool is_contraction(const einsum::EinSum& einsum) {
  if (!einsum.reduction) {
    return false;
  }
  const std::optional<Product> product = product_of(einsum.body);
  if (!product || !expr::distributes_over(product->function, einsum.reduction->monoid.name)) {
    return false;
  }
  const auto num_wide =
      std::count_if(einsum.labels.begin(), einsum.labels.end(),
                    [](const expr::LabelDecl& label) { return label.extent != 1; });
  return std::any_of(product->factors.begin(), product->factors.end(), [&](const Factor& factor) {
    const std::vector<LabelNumber> labels = labels_of(factor.access);
    return num_wide > std::count_if(labels.begin(), labels.end(), [&](LabelNumber label) {
             return einsum.labels[static_cast<size_t>(label)].extent != 1;
           });
  });
}

}  // namespace tessera::optimizer
