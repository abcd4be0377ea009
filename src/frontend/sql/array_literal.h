#pragma once

#include <string>
#include <vector>

#include "frontend/sql/query.h"
#include "types/array_type.h"

namespace tessera::frontend::sql {

/// The numbers of `ARRAY[[1, 2], [3, 4]]`, row-major.
struct ArrayValue {
  DType dtype = DType::f64;
  Shape shape;
  std::vector<double> numbers;
};

/// Whether it is a number as it was written, maybe with signs, or a truth value.
bool is_number(const Expression& expression);
/// Whether it is an array of such numbers.
bool is_array_of_constants(const Expression& expression);

/// Errors: `user` where rows differ in length, or where something is no number.
ArrayValue array_value(const Expression& expression);

/// The same as an expression.
ExpressionPtr array_expression(const ArrayValue& value, SourceSpan span);

/// `{{1,2},{3,4}}`, as PostgreSQL writes arrays. Errors: as above.
ArrayValue parse_array(const std::string& text);

/// Whether a type is one of tensors: `matrix[2][2]`, `f32[3]`.
bool is_array_type(const TypeName& type);

}  // namespace tessera::frontend::sql
