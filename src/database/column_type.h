#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "types/array_type.h"

namespace tessera::database {

/// What a scalar column may hold.
enum class ScalarType : uint8_t { integer, real, text, boolean, date, any };

/// A tensor in each row. An extent that was left open is fixed by the first tensor.
struct TensorType {
  DType dtype = DType::f64;
  std::vector<std::optional<int64_t>> extents;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

using ColumnType = std::variant<ScalarType, TensorType>;

/// Null for a scalar column.
const TensorType* tensor_of(const ColumnType& type);

/// "integer", "matrix(f32)[10][]": as SQL spells it.
std::string to_string(const ColumnType& type);

/// The type of an array of a row's tensor; nothing while an extent is open.
std::optional<ArrayType> element_type(const TensorType& type);

/// The scalar type that a type's name of SQL's stands for ("int4", "double precision", "varchar");
/// nothing for others.
std::optional<ScalarType> parse_scalar_type(const std::string& name);

/// What SQLite calls the type of such a column. Of a tensor it is the number of its row.
std::string sqlite_type(const ColumnType& type);

}  // namespace tessera::database
