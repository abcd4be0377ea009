#include "sql/number_text.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace tessera::sql {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::optional<double> float_in(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) {
    return std::nullopt;
  }
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_all = error == std::errc() && end == text.data() + text.size();
  // NaN has no sign, and `nan(7)` is C's alone.
  const bool is_named = is_all && std::isnan(number) && text.ends_with(')');
  return is_all && !is_named ? std::optional(number) : std::nullopt;
}

}  // namespace tessera::sql
