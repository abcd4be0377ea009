#include "sql/number_functions.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "expr/function_value.h"

namespace tessera::sql {

namespace {

using database::Value;

bool is_null(const Value& value) {
  return std::holds_alternative<std::monostate>(value);
}

DType dtype_of(const Value& value) {
  return std::holds_alternative<int64_t>(value) ? DType::i64 : DType::f64;
}

double as_double(const Value& value) {
  const auto* const integer = std::get_if<int64_t>(&value);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
}

/// SQLite has truth values as numbers.
Value number_of(double result, DType dtype) {
  return is_bool(dtype) ? Value(static_cast<int64_t>(result)) : Value(result);
}

Value value_of(const expr::Function& function, std::span<const Value> arguments) {
  if (std::any_of(arguments.begin(), arguments.end(), is_null)) {
    return {};
  }
  std::vector<DType> dtypes;
  for (const Value& argument : arguments) {
    TESSERA_USER_CHECK(!std::holds_alternative<std::string>(argument), "{} of a text",
                       function.name);
    dtypes.push_back(dtype_of(argument));
  }
  const expr::FunctionTypes types = function.bind(dtypes);
  std::vector<int64_t> integers;
  std::vector<double> doubles;
  for (const Value& argument : arguments) {
    doubles.push_back(as_double(argument));
    if (const auto* const integer = std::get_if<int64_t>(&argument)) {
      integers.push_back(*integer);
    }
  }
  const bool is_of_floats = std::any_of(types.arguments.begin(), types.arguments.end(),
                                        [](DType one) { return is_float(one); });
  if (!is_of_floats && integers.size() == arguments.size()) {
    if (const std::optional<int64_t> result = expr::value_of(function.name, integers)) {
      return *result;
    }
  }
  return number_of(expr::value_of(function.name, doubles).value(), types.result);
}

std::set<std::string> known_functions(database::Connection& connection) {
  std::set<std::string> names;
  database::Statement query = connection.prepare("SELECT name FROM pragma_function_list");
  while (query.step()) {
    names.insert(query.text(0));
  }
  return names;
}

}  // namespace

void define_number_functions(database::Connection& connection,
                             const expr::FunctionRegistry& functions) {
  const std::set<std::string> known = known_functions(connection);
  for (const std::string& name : functions.names()) {
    const expr::Function* const function = functions.find_scalar(name);
    if (function != nullptr && function->group != expr::FunctionGroup::unwritten &&
        known.count(name) == 0 && expr::is_of_numbers(name)) {
      connection.define(name, function->arity, [function](std::span<const Value> arguments) {
        return value_of(*function, arguments);
      });
    }
  }
}

}  // namespace tessera::sql
