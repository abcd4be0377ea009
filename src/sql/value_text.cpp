#include "sql/value_text.h"

#include <cmath>

#include <fmt/format.h>

#include "sql/scalar_value.h"

namespace tessera::sql {

namespace {

/// An element as text; u64 with all digits, which SQLite's integers do not hold.
std::string element_text(const TileView& tensor, int64_t position) {
  return tensor.dtype == DType::u64 ? fmt::format("{}", tensor.as<uint64_t>()[position])
                                    : value_text(scalar_value(tensor, position));
}

std::string array_text(const TileView& tensor, size_t mode, int64_t& position) {
  if (mode == tensor.shape.size()) {
    return element_text(tensor, position++);
  }
  std::string text = "{";
  for (int64_t number = 0; number < tensor.shape[mode]; ++number) {
    text += (number == 0 ? "" : ",") + array_text(tensor, mode + 1, position);
  }
  return text + "}";
}

}  // namespace

std::string value_text(const database::Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    return fmt::format("{}", *integer);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isnan(*number) ? "NaN" : fmt::format("{}", *number);
  }
  const auto* const text = std::get_if<std::string>(&value);
  return text == nullptr ? "" : *text;
}

std::string array_text(const TileView& tensor) {
  int64_t position = 0;
  return array_text(tensor, 0, position);
}

std::string csv_field(const std::string& text, char delimiter) {
  if (text.find_first_of(std::string("\"\r\n") + delimiter) == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character == '"' ? std::string("\"\"") : std::string(1, character);
  }
  return quoted + "\"";
}

}  // namespace tessera::sql
