#include "frontend/einsum/expression/position_arithmetic.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "expr/function_ids.h"

namespace tessera::frontend {

namespace {

/// True if all alternatives of a choice are u64, or numbers that u64 holds.
bool are_unsigned(const ExpressionBuilder& builder, const std::string& function,
                  const std::vector<Value>& arguments) {
  for (size_t place = 0; place < arguments.size(); ++place) {
    const Value& argument = arguments[place];
    if (is_condition(function, place)) {
      continue;
    }
    const auto* number = argument.is_number() ? std::get_if<int64_t>(&argument.number()) : nullptr;
    const bool is_unsigned = argument.is_number() ? number != nullptr && *number >= 0
                                                  : builder.dtype_of(argument) == DType::u64;
    if (!is_unsigned) {
      return false;
    }
  }
  return true;
}

}  // namespace

Value position(ExpressionBuilder& builder, const Value& value) {
  const bool is_narrow = !value.is_number() && is_integer(builder.dtype_of(value)) &&
                         builder.dtype_of(value) != DType::u64;
  return is_narrow ? builder.cast(value, DType::i64) : value;
}

std::vector<Value> position_arguments(ExpressionBuilder& builder, const std::string& function,
                                      std::vector<Value> arguments) {
  constexpr std::array<std::string_view, 8> kComputed = {expr::id::kAdd,
                                                         expr::id::kSubtract,
                                                         expr::id::kMultiply,
                                                         expr::id::kNegative,
                                                         expr::id::kPower,
                                                         expr::id::kSquare,
                                                         "abs",
                                                         "left_shift"};
  constexpr std::array<std::string_view, 3> kChosen = {expr::id::kMinimum, expr::id::kMaximum,
                                                       expr::id::kWhere};
  const auto is_in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), function) != names.end();
  };
  if (!is_in(kComputed) && (!is_in(kChosen) || are_unsigned(builder, function, arguments))) {
    return arguments;
  }
  for (size_t place = 0; place < arguments.size(); ++place) {
    Value& argument = arguments[place];
    if (!argument.is_number() && !is_condition(function, place) &&
        is_integer(builder.dtype_of(argument))) {
      argument = builder.cast(argument, DType::i64);
    }
  }
  return arguments;
}

}  // namespace tessera::frontend
