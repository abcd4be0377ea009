#include "expr/finite_product.h"

#include <cmath>
#include <utility>

#include "expr/function_ids.h"

namespace tessera::expr {

namespace {

constexpr const char* kSuffix = ".finite";

Scalar merged_by(const char* function, int32_t entry, DType dtype) {
  ScalarBuilder builder;
  const int32_t left = builder.parameter(entry, dtype);
  const int32_t right = builder.parameter(2 + entry, dtype);
  return builder.finish(builder.call(function, {left, right}, dtype));
}

/// Copies an expression into a builder; returns where its nodes are.
std::vector<int32_t> copied(ScalarBuilder& builder, const Scalar& scalar) {
  std::vector<int32_t> copies;
  for (const Node& node : scalar.nodes) {
    copies.push_back(builder.add(with_arguments(node, copies)));
  }
  return copies;
}

Scalar finiteness_of(const Scalar& element) {
  ScalarBuilder builder;
  const int32_t value = copied(builder, element).back();
  return builder.finish(builder.call(id::kIsFinite, {value}, DType::b1));
}

bool is_finite_number(const Node& node) {
  const auto* constant = std::get_if<Constant>(&node.op);
  const auto* value = constant == nullptr ? nullptr : std::get_if<double>(&constant->value);
  return value != nullptr && std::isfinite(*value);
}

/// Returns the flag of where(c, x, y) where y is a finite number: where(c, isfinite(x), true).
Scalar finiteness_of_choice(const Scalar& element, const Call& where) {
  ScalarBuilder builder;
  const std::vector<int32_t> copies = copied(builder, element);
  const int32_t condition = copies[static_cast<size_t>(where.arguments[0])];
  const int32_t value = copies[static_cast<size_t>(where.arguments[1])];
  const int32_t flag = builder.call(id::kIsFinite, {value}, DType::b1);
  const int32_t left_out = builder.constant(true, DType::b1);
  return builder.finish(builder.call(id::kWhere, {condition, flag, left_out}, DType::b1));
}

}  // namespace

Monoid finite_product_monoid(const std::string& name, DType product) {
  return {name + kSuffix,
          {product, DType::b1},
          {merged_by(id::kMultiply, 0, product), merged_by(id::kLogicalAnd, 1, DType::b1)},
          {1.0, true}};
}

bool is_finite_product(const Monoid& monoid) {
  if (monoid.state.size() != 2 || !is_float(monoid.state[0])) {
    return false;
  }
  Monoid known = finite_product_monoid("", monoid.state[0]);
  known.name = monoid.name;
  return known == monoid;
}

bool is_product_of_reals(const BoundAggregate& aggregate) {
  const DType state = aggregate.monoid.state[0];
  return (state == DType::f32 || state == DType::f64) &&
         merging_function(aggregate.monoid) == id::kMultiply;
}

Scalar value_of_finite_product(DType product) {
  ScalarBuilder builder;
  const int32_t merged = builder.parameter(0, product);
  const int32_t is_nan = builder.call(id::kIsNan, {merged}, DType::b1);
  const int32_t is_by_order =
      builder.call(id::kLogicalAnd, {is_nan, builder.parameter(1, DType::b1)}, DType::b1);
  return builder.finish(
      builder.call(id::kWhere, {is_by_order, builder.constant(0.0, product), merged}, product));
}

BoundAggregate with_finiteness(const BoundAggregate& product) {
  const DType state = product.monoid.state[0];
  BoundAggregate made = product;
  made.monoid = finite_product_monoid(product.monoid.name, state);
  made.lift.push_back(finiteness_of(product.lift[0]));
  ScalarBuilder finalise;
  const int32_t whole =
      finalise.inline_scalar(value_of_finite_product(state),
                             {finalise.parameter(0, state), finalise.parameter(1, DType::b1)});
  made.finalise = finalise.finish(finalise.inline_scalar(product.finalise, {whole}));
  return made;
}

bool is_finiteness_of(const Scalar& flag, const Scalar& element) {
  const auto* where = std::get_if<Call>(&element.nodes.back().op);
  const bool is_choice = where != nullptr && where->function == id::kWhere &&
                         is_finite_number(element.nodes[static_cast<size_t>(where->arguments[2])]);
  return flag == finiteness_of(element) ||
         (is_choice && flag == finiteness_of_choice(element, *where));
}

}  // namespace tessera::expr
