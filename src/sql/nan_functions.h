#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "database/sqlite.h"

/// Functions that SQLite calls where it would compute wrongly with the value that stands for NaN.
namespace tessera::sql {

inline constexpr std::string_view kNanPrefix = "nan_";  // of their names
inline constexpr const char* kNan = "nan_value";        // of nothing
inline constexpr const char* kIsNan = "nan_is";         // 1 or 0, also where one is NULL
inline constexpr const char* kFloat = "nan_float";      // what a column of floats holds of a value
inline constexpr const char* kInteger = "nan_integer";  // the number itself, if an integer holds it

/// Returns the name of our function for an operator with two operands; nothing for other operators.
std::optional<std::string> nan_operator(const std::string& symbol);

/// Returns the operator that one of our functions stands for, `+ - * / %`; nothing for the others.
std::optional<char> operator_of_nan_function(const std::string& function);

/// Computes as SQLite does, but with NaN. Floats follow IEEE, as tensors do.
database::Value value_with_nan(char symbol, const database::Value& one,
                               const database::Value& other);

/// Returns the name of our function for a function of numbers that has no value for some of them,
/// as `sqrt` of -1, where SQLite's gives NULL and ours NaN. Nothing for other functions.
std::optional<std::string> nan_function(const std::string& function, size_t num_arguments);

/// True if a number without its fraction is an integer of 64 bits.
bool fits_integer(double number);

/// Gives SQLite these functions.
void define_nan_functions(database::Connection& connection);

}  // namespace tessera::sql
