#pragma once

#include <string>

namespace tessera::sql_cases {

/// True if two texts are equal but for numbers that differ by at most `tolerance` times the larger
/// of both and 1. With a tolerance of 0, if they are equal.
bool are_close(const std::string& expected, const std::string& seen, double tolerance);

}  // namespace tessera::sql_cases
