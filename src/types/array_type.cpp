#include "types/array_type.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace tessera {

int64_t size_in_bytes(const ArrayType& type) {
  return num_elements(type.shape) * size_of(type.dtype);
}

bool is_countable(const ArrayType& type) {
  constexpr int64_t kMost = int64_t{1} << 60;
  int64_t bytes = size_of(type.dtype);
  return std::all_of(type.shape.begin(), type.shape.end(), [&](int64_t extent) {
    return !__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes) && bytes <= kMost;
  });
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
