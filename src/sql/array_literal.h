#pragma once

#include <vector>

#include "frontend/sql/syntax.h"
#include "types/array_type.h"

namespace tessera::sql {

/// The numbers of `ARRAY[[1, 2], [3, 4]]`, row-major.
struct ArrayValue {
  DType dtype = DType::f64;
  Shape shape;
  std::vector<double> numbers;
};

/// Errors: `user` where rows differ in length, or where something is no number.
ArrayValue array_value(const frontend::sql::Expression& expression);

/// The same as an expression.
frontend::sql::ExpressionPtr array_expression(const ArrayValue& value, SourceSpan span);

/// `{{1,2},{3,4}}`, as PostgreSQL writes arrays. Errors: as above.
ArrayValue parse_array(const std::string& text);

}  // namespace tessera::sql
