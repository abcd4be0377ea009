#pragma once

#include <optional>
#include <span>
#include <string>

namespace tessera::expr {

/// What a function of expr/functions/ gives for these numbers, by its own code in f64, or on truth
/// values (0 and 1) where it is of these alone. Nothing for what is computed in neither, and for a
/// name that is not there. REQUIRES as many arguments as it takes.
std::optional<double> value_of(const std::string& function, std::span<const double> arguments);

}  // namespace tessera::expr
