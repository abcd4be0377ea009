#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "types/array_type.h"

namespace tessera::database {

/// The type of a scalar column's values.
enum class ScalarType : uint8_t { integer, real, text, boolean, date, any };

/// A tensor in each row. The first tensor fixes an extent that was left open.
struct TensorType {
  DType dtype = DType::f64;
  std::vector<std::optional<int64_t>> extents;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

using ColumnType = std::variant<ScalarType, TensorType>;

/// Returns the tensor type; null for a scalar column.
const TensorType* tensor_of(const ColumnType& type);

/// Returns the type in SQL: "integer", "matrix(f32)[10][]".
std::string to_string(const ColumnType& type);

/// Returns the type of a row's tensor; nothing while an extent is open.
std::optional<ArrayType> element_type(const TensorType& type);

/// The type of the arrays of n rows, one behind the other.
ArrayType rows_of(int64_t num_rows, const ArrayType& element);

/// Returns the scalar type for a type's name in SQL ("int4", "double precision", "varchar");
/// nothing for others.
std::optional<ScalarType> parse_scalar_type(const std::string& name);

/// Returns SQLite's type for such a column. A tensor's is that of its row number.
std::string sqlite_type(const ColumnType& type);

}  // namespace tessera::database
