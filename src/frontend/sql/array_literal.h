#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "frontend/sql/query.h"
#include "types/array_type.h"

namespace tessera::frontend::sql {

/// A number as it was written. Whole ones from 2^53 on, which f64 may not hold, are i64, or u64 if
/// they are larger than all of i64; beyond 64 bits they are f64 too.
using WrittenNumber = std::variant<double, int64_t, uint64_t>;

/// The numbers of `ARRAY[[1, 2], [3, 4]]`, row-major.
struct ArrayValue {
  Shape shape;
  std::vector<WrittenNumber> numbers;
};

/// The dtype that holds all of these numbers as they were written, i64 or u64; f64 if they need
/// none of them, or if there is none.
DType exact_dtype(const std::vector<WrittenNumber>& numbers);

/// The bits of numbers in f64, i64 or u64. REQUIRES that the dtype holds them, or is f64.
std::vector<uint64_t> bits_of(const std::vector<WrittenNumber>& numbers, DType dtype);

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
