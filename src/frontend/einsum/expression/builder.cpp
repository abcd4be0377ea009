#include "frontend/einsum/expression/builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "expr/function_ids.h"
#include "frontend/einsum/expression/fold.h"
#include "frontend/einsum/expression/half_arithmetic.h"
#include "frontend/einsum/expression/risky_calls.h"
#include "types/half_rounding.h"

namespace tessera::frontend {

bool is_condition(const std::string& function, size_t position) {
  return (function == expr::id::kWhere || function == expr::id::kOnly) && position == 0;
}

namespace {

template <class T>
bool holds(const Literal& number) {
  if (const auto* whole = std::get_if<int64_t>(&number)) {
    return std::in_range<T>(*whole);
  }
  return std::in_range<T>(std::get<uint64_t>(number));
}

bool fits(const Literal& number, DType dtype) {
  switch (dtype) {
    case DType::i8:
      return holds<int8_t>(number);
    case DType::i16:
      return holds<int16_t>(number);
    case DType::i32:
      return holds<int32_t>(number);
    case DType::i64:
      return holds<int64_t>(number);
    case DType::u8:
      return holds<uint8_t>(number);
    case DType::u16:
      return holds<uint16_t>(number);
    case DType::u32:
      return holds<uint32_t>(number);
    case DType::u64:
      return holds<uint64_t>(number);
    default:
      return true;
  }
}

bool is_whole(const Literal& number) {
  return std::holds_alternative<int64_t>(number) || std::holds_alternative<uint64_t>(number);
}

/// Refuses a conversion that C++ leaves undefined and numpy makes arbitrary.
void check_fits(const Literal& number, DType dtype) {
  if (!is_integer(dtype)) {
    return;
  }
  if (is_whole(number)) {
    TESSERA_USER_CHECK(fits(number, dtype), "{} does not fit in {}", to_string(number),
                       name_of(dtype));
    return;
  }
  const double value = literal_as<double>(number);
  const bool is_signed = is_signed_integer(dtype);
  const double limit = std::ldexp(1.0, static_cast<int>(8 * size_of(dtype)) - (is_signed ? 1 : 0));
  TESSERA_USER_CHECK(value < limit && value > (is_signed ? -limit - 1 : -1.0),
                     "{} does not fit in {}", to_string(number), name_of(dtype));
}

/// Returns the result of comparing x with a number that x's integer dtype cannot hold: it is the
/// same for every x, as in numpy 2. Nothing if `function` is no comparison.
std::optional<bool> decided(const std::string& function, const Literal& number, DType dtype,
                            bool number_is_left) {
  const bool is_above = !(std::holds_alternative<int64_t>(number) && std::get<int64_t>(number) < 0);
  const bool x_is_less = is_above != number_is_left;  // the left operand is less
  if (!is_whole(number) || !is_integer(dtype) || fits(number, dtype)) {
    return std::nullopt;
  }
  if (function == expr::id::kLess || function == expr::id::kLessEqual) {
    return x_is_less;
  }
  if (function == expr::id::kGreater || function == expr::id::kGreaterEqual) {
    return !x_is_less;
  }
  const bool is_not_equal = function == expr::id::kNotEqual;
  return is_not_equal || function == expr::id::kEqual ? std::optional(is_not_equal) : std::nullopt;
}

/// Returns every comparison with the one that holds when the arguments change places.
const std::map<std::string, std::string>& swapped_comparisons() {
  namespace id = expr::id;
  static const std::map<std::string, std::string> swapped = {{id::kLess, id::kGreater},
                                                             {id::kGreater, id::kLess},
                                                             {id::kLessEqual, id::kGreaterEqual},
                                                             {id::kGreaterEqual, id::kLessEqual},
                                                             {id::kEqual, id::kEqual},
                                                             {id::kNotEqual, id::kNotEqual}};
  return swapped;
}

/// Refuses an integer to a negative power, as numpy does: the result is not an integer.
void check_power(const std::string& function, const Value& exponent, DType computed) {
  if (function != expr::id::kPower || !exponent.is_number() || !is_integer(computed)) {
    return;
  }
  const auto* number = std::get_if<int64_t>(&exponent.number());
  TESSERA_USER_CHECK(number == nullptr || *number >= 0,
                     "an integer ({0}) to the power {1} is no integer: convert it first, "
                     "f64(x)^{1}",
                     name_of(computed), *number);
}

/// Returns a real number as a float dtype holds it.
double held_in(double number, DType dtype) {
  if (is_half(dtype)) {
    return literal_as<double>(rounded_literal(number, dtype));
  }
  const bool is_single = dtype == DType::f32 || dtype == DType::c64;
  return is_single ? static_cast<double>(static_cast<float>(number)) : number;
}

bool is_part_lost(double part, DType dtype) {
  const double held = held_in(part, dtype);
  return std::isfinite(part) && part != 0 && (!std::isfinite(held) || held == 0);
}

}  // namespace

bool is_lost(const Literal& number, DType dtype) {
  if (!is_float(dtype) && !is_complex(dtype)) {
    return false;
  }
  const auto value = literal_as<std::complex<double>>(number);
  return is_part_lost(value.real(), dtype) || is_part_lost(value.imag(), dtype);
}

DType dtype_beside(const Literal& number, DType other) {
  struct Chooser {
    DType other;
    DType operator()(bool) const { return other; }
    DType operator()(int64_t) const { return is_bool(other) ? DType::i64 : other; }
    DType operator()(uint64_t) const { return is_bool(other) ? DType::u64 : other; }
    DType operator()(double) const {
      return is_float(other) || is_complex(other) ? other : DType::f64;
    }
    DType operator()(std::complex<double>) const {
      return is_float(other) || is_complex(other) ? complex_of(other) : DType::c128;
    }
  };
  return std::visit(Chooser{other}, number);
}

DType ExpressionBuilder::dtype_of(const Value& value) const {
  return value.is_number() ? default_dtype(value.number()) : nodes_.dtype_of(value.node());
}

std::vector<DType> ExpressionBuilder::argument_dtypes(const std::string& function,
                                                      const std::vector<Value>& arguments) const {
  std::optional<DType> common;  // of the nodes; numbers adapt to it
  for (size_t position = 0; position < arguments.size(); ++position) {
    if (!arguments[position].is_number() && !is_condition(function, position)) {
      const DType dtype = dtype_of(arguments[position]);
      common = common ? promote(*common, dtype) : dtype;
    }
  }
  std::vector<DType> dtypes;
  for (size_t position = 0; position < arguments.size(); ++position) {
    const Value& argument = arguments[position];
    const bool adapts = argument.is_number() && common && !is_condition(function, position);
    dtypes.push_back(adapts ? dtype_beside(argument.number(), *common) : dtype_of(argument));
  }
  return dtypes;
}

/// Compares a signed integer with a u64 exactly: no dtype holds both, and f64 makes neighbours
/// equal. A negative number is less than every u64; any other is compared as a u64.
std::optional<Value> ExpressionBuilder::compare_mixed_signs(const std::string& function,
                                                            const std::vector<Value>& arguments) {
  if (!swapped_comparisons().contains(function) || arguments[0].is_number() ||
      arguments[1].is_number()) {
    return std::nullopt;
  }
  const DType left = dtype_of(arguments[0]);
  const DType right = dtype_of(arguments[1]);
  if (left == DType::u64 && is_signed_integer(right)) {
    return compare_mixed_signs(swapped_comparisons().at(function), {arguments[1], arguments[0]});
  }
  if (!is_signed_integer(left) || right != DType::u64) {
    return std::nullopt;
  }
  const bool holds_for_negative = function == expr::id::kLess || function == expr::id::kLessEqual ||
                                  function == expr::id::kNotEqual;
  const Value as_unsigned = call(function, {cast(arguments[0], DType::u64), arguments[1]});
  const Value zero = number(int64_t{0});
  return holds_for_negative
             ? call(expr::id::kLogicalOr,
                    {call(expr::id::kLess, {arguments[0], zero}), as_unsigned})
             : call(expr::id::kLogicalAnd,
                    {call(expr::id::kGreaterEqual, {arguments[0], zero}), as_unsigned});
}

Value ExpressionBuilder::call(const std::string& name, const std::vector<Value>& arguments) {
  const expr::Function* function = vocabulary_.functions.find(name);
  TESSERA_CHECK(function != nullptr, "no function {}", name);
  const bool all_numbers =
      std::all_of(arguments.begin(), arguments.end(), [](const Value& v) { return v.is_number(); });
  if (all_numbers && name != expr::id::kOnly && can_fold(*function)) {
    std::vector<Literal> numbers;
    for (const Value& argument : arguments) {
      numbers.push_back(argument.number());
    }
    return {fold_call(*function, numbers)};
  }
  for (size_t number = 0; arguments.size() == 2 && number < 2; ++number) {
    const Value& other = arguments[1 - number];
    if (!arguments[number].is_number() || other.is_number()) {
      continue;
    }
    const auto known = decided(name, arguments[number].number(), dtype_of(other), number == 0);
    if (known) {
      return {nodes_.constant(*known, DType::b1)};
    }
  }
  if (const std::optional<Value> compared = compare_mixed_signs(name, arguments)) {
    return *compared;
  }
  const expr::FunctionTypes types = function->bind(argument_dtypes(name, arguments));
  check_power(name, arguments.back(), types.result);
  if (name == expr::id::kWhere && arguments[0].is_number()) {
    return {cast(arguments[literal_as<bool>(arguments[0].number()) ? 1 : 2], types.result)};
  }
  std::vector<int32_t> nodes;
  for (size_t position = 0; position < arguments.size(); ++position) {
    nodes.push_back(cast(arguments[position], types.arguments[position]).node());
  }
  return rounded(name, {nodes_.call(name, std::move(nodes), types.result)});
}

/// Adds a Cast to the dtype of the call, which marks that the call is rounded: calls of f16 and
/// bf16 are computed in f32.
Value ExpressionBuilder::rounded(const std::string& function, const Value& called) {
  const DType dtype = dtype_of(called);
  return is_half(dtype) && !is_exact_in_halves(function)
             ? Value{nodes_.add({expr::Cast{called.node()}, dtype})}
             : called;
}

Value ExpressionBuilder::unrounded(const Value& value) const {
  const auto* cast =
      value.is_number() ? nullptr : std::get_if<expr::Cast>(&nodes_.node(value.node()).op);
  const bool rounds_alone =
      cast != nullptr && nodes_.dtype_of(cast->argument) == nodes_.dtype_of(value.node());
  return rounds_alone ? Value{cast->argument} : value;
}

Value ExpressionBuilder::unrounded_terms(const Value& value) {
  const Value called = unrounded(value);
  const bool is_node = !called.is_number() && is_half(dtype_of(called));
  const expr::Node node = is_node ? nodes_.node(called.node()) : expr::Node{};
  const auto* call = std::get_if<expr::Call>(&node.op);
  if (call == nullptr || !is_term(call->function)) {
    return value;
  }
  std::vector<int32_t> arguments;
  for (const int32_t argument : call->arguments) {
    arguments.push_back(unrounded_terms({argument}).node());
  }
  return {nodes_.call(call->function, std::move(arguments), node.dtype)};
}

ValueRange ExpressionBuilder::range_of(const Value& value) const {
  if (value.is_number()) {
    const double number = literal_as<double>(value.number());
    return {number, number};
  }
  const auto node_at = [&](int32_t number) -> const expr::Node& { return nodes_.node(number); };
  return certain_range(value.node(), node_at, extents_);
}

Value ExpressionBuilder::chosen(const Value& guard, const Value& value, int64_t otherwise,
                                DType dtype) {
  return call(expr::id::kWhere, {guard, cast(value, dtype), cast(number(otherwise), dtype)});
}

Value ExpressionBuilder::guarded_call(const std::string& name, std::vector<Value> arguments,
                                      const std::function<Value()>& guard) {
  const std::vector<DType> dtypes = argument_dtypes(name, arguments);
  const expr::FunctionTypes types = vocabulary_.functions.find(name)->bind(dtypes);
  for (const RiskyArgument& risky : risky_arguments(name)) {
    Value& argument = arguments[risky.position];
    const DType dtype = types.arguments[risky.position];
    if (!may_fail(name, range_of(argument), dtype, range_of(arguments.back()))) {
      continue;
    }
    const Value condition = guard();
    if (!condition.is_number()) {
      argument = chosen(condition, argument, risky.harmless, dtype);
    } else if (!literal_as<bool>(condition.number())) {
      argument = number(risky.harmless);  // it stays a number if all arguments are
    }
  }
  return call(name, arguments);
}

Value ExpressionBuilder::guarded_index(const Value& index, int64_t extent,
                                       const std::function<Value()>& guard) {
  const ValueRange range = range_of(index);
  const bool is_inside = range.lowest >= 0 && range.highest < static_cast<double>(extent);
  return is_inside ? index : chosen(guard(), index, 0, dtype_of(index));
}

Value ExpressionBuilder::cast(const Value& value, DType dtype) {
  if (!value.is_number()) {
    return {nodes_.cast(value.node(), dtype)};
  }
  check_fits(value.number(), dtype);
  if (is_lost(value.number(), dtype)) {
    lost_numbers_.push_back({value.number(), dtype});
  }
  return {nodes_.constant(is_half(dtype) ? rounded_literal(value.number(), dtype) : value.number(),
                          dtype)};
}

Value ExpressionBuilder::convert(const Value& value, DType dtype) {
  const bool rounds_again = !value.is_number() && is_half(dtype) && dtype_of(value) == dtype &&
                            expr::is_computed(nodes_.node(value.node()));
  return rounds_again ? Value{nodes_.add({expr::Cast{value.node()}, dtype})} : cast(value, dtype);
}

Value ExpressionBuilder::floating(const Value& value) {
  const DType dtype = dtype_of(value);
  if (is_float(dtype) || is_complex(dtype)) {
    return value;
  }
  return value.is_number() ? Value{literal_as<double>(value.number())} : cast(value, DType::f64);
}

Value ExpressionBuilder::widened(const Value& value) {
  const Value is_floating = floating(value);
  return is_half(dtype_of(value)) ? cast(is_floating, DType::f32) : is_floating;
}

Value ExpressionBuilder::narrowed(const Value& value, const Value& other) {
  return is_half(dtype_of(other)) ? cast(value, dtype_of(other)) : value;
}

Value ExpressionBuilder::masked(const Value& value, const Value& mask) {
  const DType dtype = dtype_of(mask);
  TESSERA_USER_CHECK(!is_complex(dtype),
                     "a mask is of truth values, or of floats that are added, not of {}",
                     name_of(dtype));
  return is_float(dtype) ? call(expr::id::kAdd, {value, mask})
                         : call(expr::id::kWhere,
                                {mask, value, number(-std::numeric_limits<double>::infinity())});
}

Value ExpressionBuilder::is_unmasked(const Value& mask) {
  return is_float(dtype_of(mask))
             ? call(expr::id::kGreater, {mask, number(-std::numeric_limits<double>::infinity())})
             : mask;
}

expr::Scalar ExpressionBuilder::finish(const Value& root) {
  return nodes_.finish(cast(root, dtype_of(root)).node());
}

expr::Scalar rounded_for(const expr::Monoid& monoid, const expr::Scalar& element) {
  const DType dtype = element.dtype();
  const bool is_computed = std::holds_alternative<expr::Call>(element.nodes.back().op);
  if (monoid.state.size() == 1 || monoid.state.front() != dtype || !is_computed ||
      !rounds_to_half(DType::f32, dtype)) {
    return element;
  }
  expr::ScalarBuilder builder;
  const int32_t computed = builder.inline_scalar(element, {});
  return builder.finish(builder.cast(builder.cast(computed, DType::f32), dtype));
}

}  // namespace tessera::frontend
