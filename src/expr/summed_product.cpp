#include "expr/summed_product.h"

#include <algorithm>

#include <fmt/format.h>

#include "expr/function_ids.h"

namespace tessera::expr {

namespace {

/// Returns the node below casts that only change a number's storage.
int32_t without_widening(const Scalar& scalar, int32_t number) {
  while (const auto* cast = std::get_if<Cast>(&scalar.nodes[static_cast<size_t>(number)].op)) {
    const DType from = scalar.nodes[static_cast<size_t>(cast->argument)].dtype;
    const DType to = scalar.nodes[static_cast<size_t>(number)].dtype;
    if (compute_type(from) != to) {  // it rounds, or converts
      break;
    }
    number = cast->argument;
  }
  return number;
}

const Access* access_at(const Scalar& scalar, int32_t number) {
  return std::get_if<Access>(&scalar.nodes[static_cast<size_t>(number)].op);
}

}  // namespace

OrRefusal<SummedProduct> summed_product_of(const TileProgram& program) {
  const Reduce* reduce = reduction_of(program.statements[0]);
  if (program.statements.size() != 1 || reduce == nullptr ||
      merging_function(reduce->monoid) != id::kAdd) {
    return Refusal{"it is not one sum"};
  }
  const Scalar& body = program.statements[0].bodies[0];
  const DType type = body.dtype();
  if (type != DType::f32 && type != DType::f64 && !is_complex(type)) {
    return Refusal{fmt::format("the sum is of {}, not of f32, f64, c64 or c128", name_of(type))};
  }
  const int32_t root = without_widening(body, static_cast<int32_t>(body.nodes.size()) - 1);
  const auto* product = std::get_if<Call>(&body.nodes[static_cast<size_t>(root)].op);
  if (product == nullptr || product->function != id::kMultiply) {
    return Refusal{"what is summed is not a product"};
  }
  const int32_t a_node = without_widening(body, product->arguments[0]);
  const int32_t b_node = without_widening(body, product->arguments[1]);
  const Access* a = access_at(body, a_node);
  const Access* b = access_at(body, b_node);
  if (a == nullptr || b == nullptr) {
    return Refusal{"the factors are not two accesses"};
  }
  return SummedProduct{*a, *b, type, a_node, b_node};
}

std::optional<std::vector<LabelNumber>> own_labels(const Access& access) {
  std::vector<LabelNumber> labels;
  for (const Index& index : access.index) {
    const std::optional<LabelNumber> label = plain_label(index);
    const bool repeats = label && std::find(labels.begin(), labels.end(), *label) != labels.end();
    if (!is_plain_or_fixed(index) || repeats) {
      return std::nullopt;
    }
    if (label) {
      labels.push_back(*label);
    }
  }
  return labels;
}

}  // namespace tessera::expr
