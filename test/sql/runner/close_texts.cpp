#include "sql/runner/close_texts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace tessera::sql_cases {

namespace {

bool may_begin_number(char character) {
  return character == '-' || (character >= '0' && character <= '9');
}

/// Reads a number at `at` and moves behind it; nothing if the text has none there.
std::optional<double> take_number(const std::string& text, size_t& at) {
  if (at >= text.size() || !may_begin_number(text[at])) {
    return std::nullopt;
  }
  char* end = nullptr;
  const double number = std::strtod(text.c_str() + at, &end);
  const size_t behind = static_cast<size_t>(end - text.c_str());
  if (behind == at) {
    return std::nullopt;
  }
  at = behind;
  return number;
}

bool are_close(double expected, double seen, double tolerance) {
  const double scale = std::max({std::abs(expected), std::abs(seen), 1.0});
  return std::abs(expected - seen) <= tolerance * scale;
}

}  // namespace

bool are_close(const std::string& expected, const std::string& seen, double tolerance) {
  if (tolerance == 0) {
    return expected == seen;
  }
  size_t at = 0;
  size_t other = 0;
  while (at < expected.size() && other < seen.size()) {
    const std::optional<double> number = take_number(expected, at);
    const std::optional<double> seen_number = take_number(seen, other);
    if (number.has_value() != seen_number.has_value()) {
      return false;
    }
    if (number ? !are_close(*number, *seen_number, tolerance) : expected[at++] != seen[other++]) {
      return false;
    }
  }
  return at == expected.size() && other == seen.size();
}

}  // namespace tessera::sql_cases
