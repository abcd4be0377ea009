#include "base/byte_size.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace tessera {

std::string byte_size_text(int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  }
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::optional<int64_t> parse_byte_size(const std::string& text) {
  constexpr std::string_view kLetters = "KMGTPE";
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  std::string_view unit(end, static_cast<size_t>(last - end));
  if (error != std::errc() || !(value >= 0)) {
    return std::nullopt;
  }
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const size_t power = unit.empty() ? kLetters.npos : kLetters.find(unit[0]);
  if (power != kLetters.npos) {
    const bool is_decimal = unit.substr(1) == "B";
    value *= std::pow(is_decimal ? 1000.0 : 1024.0, static_cast<double>(power + 1));
    unit.remove_prefix(unit.substr(1, 1) == "i" ? 2 : 1);
  }
  const bool is_read = unit.empty() || unit == "B";
  return is_read && value < 0x1p62 ? std::optional(static_cast<int64_t>(value)) : std::nullopt;
}

}  // namespace tessera
