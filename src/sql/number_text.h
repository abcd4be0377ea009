#pragma once

#include <optional>
#include <string_view>

namespace tessera::sql {

/// The float that all of a text says, with blanks around it: a number, or `Infinity`, `inf` and
/// `NaN` in letters of either case, with a sign.
std::optional<double> float_in(std::string_view text);

}  // namespace tessera::sql
