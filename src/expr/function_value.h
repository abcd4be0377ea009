#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tessera::expr {

/// What a function of expr/functions/ gives for these numbers, by its own code in f64, or on truth
/// values (0 and 1) where it is of these alone. Nothing for what is computed in neither, and for a
/// name that is not there. REQUIRES as many arguments as it takes.
std::optional<double> value_of(const std::string& function, std::span<const double> arguments);

/// The same by its code for i64; truth values are 0 and 1. Nothing for what has none. Errors:
/// `user` where there is no value, as of a division by zero.
std::optional<int64_t> value_of(const std::string& function, std::span<const int64_t> arguments);

/// Whether one of the two gives something.
bool is_of_numbers(const std::string& function);

}  // namespace tessera::expr
