#include "optimizer/einsum/product.h"

#include <algorithm>

#include "expr/function.h"

namespace tessera::optimizer {

namespace {

using expr::LabelNumber;
using expr::Scalar;

const expr::Node& node_at(const Scalar& scalar, int32_t number) {
  return scalar.nodes[static_cast<size_t>(number)];
}

/// True if a node multiplies further factors of the product whose root is `root`.
bool is_inner_product(const expr::Node& node, const expr::Node& root) {
  const auto* call = std::get_if<expr::Call>(&node.op);
  return call != nullptr && call->function == std::get<expr::Call>(root.op).function &&
         node.dtype == root.dtype;
}

void collect_factors(const Scalar& body, int32_t number, std::vector<int32_t>& factors) {
  const expr::Node& node = node_at(body, number);
  if (!is_inner_product(node, body.nodes.back())) {
    factors.push_back(number);
    return;
  }
  for (const int32_t argument : std::get<expr::Call>(node.op).arguments) {
    collect_factors(body, argument, factors);
  }
}

/// True if a scalar is Parameter 0, cast or not.
bool passes_parameter(const Scalar& scalar) {
  const auto* parameter = std::get_if<expr::Parameter>(&scalar.nodes.front().op);
  const bool casts_only = std::all_of(
      scalar.nodes.begin() + 1, scalar.nodes.end(),
      [](const expr::Node& node) { return std::holds_alternative<expr::Cast>(node.op); });
  return parameter != nullptr && parameter->position == 0 && casts_only;
}

}  // namespace

std::vector<int32_t> factor_nodes(const Scalar& body) {
  const auto* root = std::get_if<expr::Call>(&body.nodes.back().op);
  std::vector<int32_t> factors;
  if (root != nullptr && root->arguments.size() == 2) {
    collect_factors(body, static_cast<int32_t>(body.nodes.size()) - 1, factors);
  }
  return factors;
}

std::optional<Factor> factor_at(const Scalar& body, int32_t number) {
  Factor factor;
  const expr::Node* node = &node_at(body, number);
  while (const auto* cast = std::get_if<expr::Cast>(&node->op)) {
    factor.casts.insert(factor.casts.begin(), node->dtype);
    node = &node_at(body, cast->argument);
  }
  const auto* access = std::get_if<expr::Access>(&node->op);
  bool is_gathered = false;
  expr::for_each_argument(*node, [&](int32_t) { is_gathered = true; });
  if (access == nullptr || is_gathered) {
    return std::nullopt;
  }
  factor.access = *access;
  factor.stored = node->dtype;
  return factor;
}

int32_t copy_product(expr::ScalarBuilder& builder, const Scalar& body, DType dtype,
                     const FactorCopy& copy_factor) {
  const std::function<int32_t(int32_t)> copy = [&](int32_t number) {
    const expr::Node& node = node_at(body, number);
    if (!is_inner_product(node, body.nodes.back())) {
      return copy_factor(builder, number);
    }
    const auto& call = std::get<expr::Call>(node.op);
    const int32_t left = copy(call.arguments[0]);
    return builder.call(call.function, {left, copy(call.arguments[1])}, dtype);
  };
  return copy(static_cast<int32_t>(body.nodes.size()) - 1);
}

std::optional<Product> product_of(const Scalar& body) {
  const std::vector<int32_t> factors = factor_nodes(body);
  if (factors.empty()) {
    return std::nullopt;
  }
  Product product{std::get<expr::Call>(body.nodes.back().op).function, body.dtype(), {}};
  for (const int32_t number : factors) {
    std::optional<Factor> factor = factor_at(body, number);
    if (!factor || node_at(body, number).dtype != product.dtype) {
      return std::nullopt;
    }
    product.factors.push_back(std::move(*factor));
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

einsum::EinSum over_results(const einsum::EinSum& einsum) {
  einsum::EinSum made;
  for (const LabelNumber label : einsum.out) {
    made.out.push_back(static_cast<LabelNumber>(made.labels.size()));
    made.labels.push_back(einsum.labels[static_cast<size_t>(label)]);
  }
  return made;
}

expr::Access at_result(const einsum::EinSum& einsum, int32_t operand) {
  expr::Access access{operand, {}};
  for (const LabelNumber label : einsum.out) {
    access.index.push_back(expr::plain(label));
  }
  return access;
}

std::vector<LabelNumber> labels_of(const expr::Access& access) {
  std::vector<LabelNumber> labels;
  for (const expr::Index& index : access.index) {
    expr::for_each_label(index, [&](LabelNumber label) { labels.push_back(label); });
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

bool is_contraction(const einsum::EinSum& einsum, const expr::FunctionRegistry& functions) {
  if (!einsum.reduction) {
    return false;
  }
  const std::optional<Product> product = product_of(einsum.body);
  if (!product || !functions.distributes_over(product->function, einsum.reduction->monoid.name)) {
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
