#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tessera::expr {

/// Returns the value of a function of expr/functions/ for these numbers, by its own code in f64, or
/// on truth values (0 and 1) if it has only these. Nothing for a function that is computed in
/// neither, and for an unknown name. REQUIRES as many arguments as it takes.
std::optional<double> value_of(const std::string& function, std::span<const double> arguments);

/// Returns the value by its code for i64; truth values are 0 and 1. Nothing if it has no such code.
/// Errors: `user` if there is no value, like for a division by zero.
std::optional<int64_t> value_of(const std::string& function, std::span<const int64_t> arguments);

/// True if one of the two returns something.
bool is_of_numbers(const std::string& function);

}  // namespace tessera::expr
