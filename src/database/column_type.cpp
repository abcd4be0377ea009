#include "database/column_type.h"

#include <map>

namespace tessera::database {

namespace {

std::string scalar_name(ScalarType type) {
  switch (type) {
    case ScalarType::integer:
      return "integer";
    case ScalarType::real:
      return "double precision";
    case ScalarType::text:
      return "text";
    case ScalarType::boolean:
      return "boolean";
    case ScalarType::date:
      return "date";
    case ScalarType::any:
      return "any";
  }
  return "";
}

std::string tensor_word(size_t ndim) {
  return ndim == 1 ? "vector" : ndim == 2 ? "matrix" : "tensor";
}

}  // namespace

const TensorType* tensor_of(const ColumnType& type) {
  return std::get_if<TensorType>(&type);
}

std::string to_string(const ColumnType& type) {
  const TensorType* const tensor = tensor_of(type);
  if (tensor == nullptr) {
    return scalar_name(std::get<ScalarType>(type));
  }
  std::string text = tensor_word(tensor->extents.size());
  if (tensor->dtype != DType::f64) {
    text += "(" + std::string(name_of(tensor->dtype)) + ")";
  }
  for (const std::optional<int64_t>& extent : tensor->extents) {
    text += "[" + (extent ? std::to_string(*extent) : "") + "]";
  }
  return text;
}

std::optional<ArrayType> element_type(const TensorType& type) {
  ArrayType element{type.dtype, {}};
  for (const std::optional<int64_t>& extent : type.extents) {
    if (!extent) {
      return std::nullopt;
    }
    element.shape.push_back(*extent);
  }
  return element;
}

std::optional<ScalarType> parse_scalar_type(const std::string& name) {
  static const std::map<std::string, ScalarType> types{{"int", ScalarType::integer},
                                                       {"integer", ScalarType::integer},
                                                       {"int2", ScalarType::integer},
                                                       {"int4", ScalarType::integer},
                                                       {"int8", ScalarType::integer},
                                                       {"smallint", ScalarType::integer},
                                                       {"bigint", ScalarType::integer},
                                                       {"double", ScalarType::real},
                                                       {"double precision", ScalarType::real},
                                                       {"float4", ScalarType::real},
                                                       {"float8", ScalarType::real},
                                                       {"float", ScalarType::real},
                                                       {"real", ScalarType::real},
                                                       {"numeric", ScalarType::real},
                                                       {"decimal", ScalarType::real},
                                                       {"text", ScalarType::text},
                                                       {"varchar", ScalarType::text},
                                                       {"bpchar", ScalarType::text},
                                                       {"char", ScalarType::text},
                                                       {"bool", ScalarType::boolean},
                                                       {"boolean", ScalarType::boolean},
                                                       {"date", ScalarType::date}};
  const auto found = types.find(name);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

ArrayType rows_of(int64_t num_rows, const ArrayType& element) {
  ArrayType type{element.dtype, {num_rows}};
  type.shape.insert(type.shape.end(), element.shape.begin(), element.shape.end());
  return type;
}

std::string sqlite_type(const ColumnType& type) {
  if (tensor_of(type) != nullptr) {
    return "INTEGER";
  }
  switch (std::get<ScalarType>(type)) {
    case ScalarType::integer:
    case ScalarType::boolean:
      return "INTEGER";
    case ScalarType::real:
      return "REAL";
    case ScalarType::text:
    case ScalarType::date:
      return "TEXT";
    case ScalarType::any:
      return "ANY";
  }
  return "";
}

}  // namespace tessera::database
