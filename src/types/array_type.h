#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "types/dtype.h"
#include "types/shape.h"

namespace tessera {

/// Element type and extents of a dense array of any number of modes.
struct ArrayType {
  DType dtype = DType::f32;
  Shape shape;
  friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

int64_t size_in_bytes(const ArrayType& type);

/// True if it has at most 2^60 bytes, so that sums of a few sizes fit in 64 bits. An extent of 0
/// counts as 1: strides and parts of the shape are multiplied without it.
bool is_countable(const ArrayType& type);

/// Formats a type: "f32[1000,64]".
std::string to_string(const ArrayType& type);

/// Reads "f32[1000,64]"; nothing if the text is not of that form.
std::optional<ArrayType> parse_array_type(std::string_view text);

}  // namespace tessera
