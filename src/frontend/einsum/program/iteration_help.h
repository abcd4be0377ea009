#pragma once

#include <string_view>

/// Help texts for users who look for loops, which the language does not have.
namespace tessera::frontend {

inline constexpr std::string_view kStepsHelp =
    "a program has no loops: steps repeat as versions of a table in SQL (doc/sql.md, Versions), or "
    "along a label as a scan, cumsum[i] x[i]";

inline constexpr std::string_view kRecurrenceHelp =
    "a recurrence along a label is a scan (doc/language.md, Scans): cumsum[i] x[i], or "
    "cumsumprod[i](y[i], w[i]) for z[i] = y[i] + w[i] * z[i-1]; any other steps repeat as versions "
    "of a table in SQL (doc/sql.md, Versions)";

}  // namespace tessera::frontend
