#include "sql/nan_functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <span>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "sql/number_text.h"
#include "sql/value_text.h"

namespace tessera::sql {

namespace {

using database::Value;
using UnaryFunction = double (*)(double);
using BinaryFunction = double (*)(double, double);

/// The names of our functions by the operators that they stand for.
const std::map<std::string, std::string>& operators() {
  static const std::map<std::string, std::string> names{{"+", "nan_add"},
                                                        {"-", "nan_subtract"},
                                                        {"*", "nan_multiply"},
                                                        {"/", "nan_divide"},
                                                        {"%", "nan_remainder"}};
  return names;
}

/// The functions of one number that may have no value, by SQLite's names.
const std::map<std::string, UnaryFunction>& unary_functions() {
  static const std::map<std::string, UnaryFunction> functions{
      {"sqrt", std::sqrt}, {"ln", std::log},    {"log", std::log10},   {"log10", std::log10},
      {"log2", std::log2}, {"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan},
      {"asin", std::asin}, {"acos", std::acos}, {"acosh", std::acosh}, {"atanh", std::atanh}};
  return functions;
}

double logarithm_to(double base, double number) {
  return std::log(number) / std::log(base);
}

const std::map<std::string, BinaryFunction>& binary_functions() {
  static const std::map<std::string, BinaryFunction> functions{
      {"pow", std::pow}, {"power", std::pow}, {"mod", std::fmod}, {"log", logarithm_to}};
  return functions;
}

bool is_null_value(const Value& value) {
  return std::holds_alternative<std::monostate>(value);
}

double double_in(const Value& value) {
  const auto* const integer = std::get_if<int64_t>(&value);
  const auto* const number = std::get_if<double>(&value);
  return integer != nullptr  ? static_cast<double>(*integer)
         : number != nullptr ? *number
                             : std::strtod(std::get<std::string>(value).c_str(), nullptr);
}

/// Computes with integers as SQLite does: an overflow gives a float, a division by 0 gives NULL.
Value of_integers(char symbol, int64_t one, int64_t other) {
  int64_t result = 0;
  const bool is_lowest = one == std::numeric_limits<int64_t>::min() && other == -1;
  if (symbol == '/' || symbol == '%') {
    return other == 0      ? Value()
           : is_lowest     ? (symbol == '%' ? Value(int64_t{0}) : Value(-static_cast<double>(one)))
           : symbol == '/' ? Value(one / other)
                           : Value(one % other);
  }
  const bool overflows = symbol == '+'   ? __builtin_add_overflow(one, other, &result)
                         : symbol == '-' ? __builtin_sub_overflow(one, other, &result)
                                         : __builtin_mul_overflow(one, other, &result);
  if (!overflows) {
    return result;
  }
  const auto left = static_cast<double>(one);
  const auto right = static_cast<double>(other);
  return symbol == '+' ? left + right : symbol == '-' ? left - right : left * right;
}

bool is_nan_value(const Value& value) {
  const auto* const number = std::get_if<double>(&value);
  return number != nullptr && std::isnan(*number);
}

/// The value itself, as SQLite casts it. Errors: `user` if no integer holds it.
Value checked_integer(const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  const auto* const written = std::get_if<double>(&value);
  const std::optional<double> number = text != nullptr      ? float_in(*text)
                                       : written != nullptr ? std::optional(*written)
                                                            : std::nullopt;
  TESSERA_USER_CHECK(!number || fits_integer(*number), "{} is out of the range of integers",
                     text != nullptr ? "'" + *text + "'" : value_text(value));
  return value;
}

/// A function of numbers: NULL of NULL.
template <class Function>
database::ScalarFunction of_numbers(Function function) {
  return [function](std::span<const Value> arguments) -> Value {
    if (std::any_of(arguments.begin(), arguments.end(), is_null_value)) {
      return {};
    }
    if constexpr (std::is_same_v<Function, UnaryFunction>) {
      return function(double_in(arguments[0]));
    } else {
      return function(double_in(arguments[0]), double_in(arguments[1]));
    }
  };
}

}  // namespace

Value value_with_nan(char symbol, const Value& one, const Value& other) {
  if (is_null_value(one) || is_null_value(other)) {
    return {};
  }
  const auto* const left = std::get_if<int64_t>(&one);
  const auto* const right = std::get_if<int64_t>(&other);
  if (left != nullptr && right != nullptr) {
    return of_integers(symbol, *left, *right);
  }
  const double x = double_in(one);
  const double y = double_in(other);
  return symbol == '%'   ? std::fmod(x, y)
         : symbol == '+' ? x + y
         : symbol == '-' ? x - y
         : symbol == '*' ? x * y
                         : x / y;
}

std::optional<char> operator_of_nan_function(const std::string& function) {
  for (const auto& [symbol, name] : operators()) {
    if (name == function) {
      return symbol.front();
    }
  }
  return std::nullopt;
}

bool fits_integer(double number) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  return number >= -kBeyond && number < kBeyond;
}

std::optional<std::string> nan_operator(const std::string& symbol) {
  const auto known = operators().find(symbol);
  return known == operators().end() ? std::nullopt : std::optional(known->second);
}

std::optional<std::string> nan_function(const std::string& function, size_t num_arguments) {
  const bool is_known = (num_arguments == 1 && unary_functions().count(function) != 0) ||
                        (num_arguments == 2 && binary_functions().count(function) != 0);
  return is_known ? std::optional("nan_" + function) : std::nullopt;
}

void define_nan_functions(database::Connection& connection) {
  for (const auto& [symbol, name] : operators()) {
    connection.define(name, 2, [symbol = symbol.front()](std::span<const Value> arguments) {
      return value_with_nan(symbol, arguments[0], arguments[1]);
    });
  }
  for (const auto& [name, function] : unary_functions()) {
    connection.define("nan_" + name, 1, of_numbers(function));
  }
  for (const auto& [name, function] : binary_functions()) {
    connection.define("nan_" + name, 2, of_numbers(function));
  }
  connection.define(kNan, 0, [](std::span<const Value>) -> Value {
    return std::numeric_limits<double>::quiet_NaN();
  });
  for (const int num_numbers : {1, 2}) {
    connection.define(kIsNan, num_numbers, [](std::span<const Value> numbers) -> Value {
      const bool is_nan = std::any_of(numbers.begin(), numbers.end(), is_nan_value) &&
                          std::none_of(numbers.begin(), numbers.end(), is_null_value);
      return static_cast<int64_t>(is_nan ? 1 : 0);
    });
  }
  connection.define(kFloat, 1, [](std::span<const Value> arguments) -> Value {
    const Value& value = arguments[0];
    if (const auto* const text = std::get_if<std::string>(&value)) {
      const std::optional<double> number = float_in(*text);
      TESSERA_USER_CHECK(number, "'{}' is no number", *text);
      return *number;
    }
    return is_null_value(value) ? value : Value(double_in(value));
  });
  connection.define(kInteger, 1,
                    [](std::span<const Value> arguments) { return checked_integer(arguments[0]); });
}

}  // namespace tessera::sql
