#include "types/array_type.h"

#include <charconv>

#include <fmt/format.h>

namespace tessera {

int64_t size_in_bytes(const ArrayType& type) {
  return num_elements(type.shape) * size_of(type.dtype);
}

std::string to_string(const ArrayType& type) {
  return fmt::format("{}{}", name_of(type.dtype), to_string(type.shape));
}

std::optional<ArrayType> parse_array_type(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == std::string_view::npos || text.back() != ']') {
    return std::nullopt;
  }
  const std::optional<DType> dtype = parse_dtype(text.substr(0, bracket));
  if (!dtype) {
    return std::nullopt;
  }
  ArrayType type{*dtype, {}};
  const char* next = text.data() + bracket + 1;
  const char* const last = text.data() + text.size() - 1;
  while (next != last) {
    int64_t extent = 0;
    const auto [end, error] = std::from_chars(next, last, extent);
    if (error != std::errc() || extent < 0 || (end != last && (*end != ',' || end + 1 == last))) {
      return std::nullopt;
    }
    type.shape.push_back(extent);
    next = end == last ? end : end + 1;
  }
  return type;
}

}  // namespace tessera
