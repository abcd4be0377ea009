#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "frontend/sql/query.h"
#include "types/array_type.h"

namespace tessera::frontend::sql {

/// A number as written. Whole ones from 2^53 on, which f64 may not hold, are i64, or u64 if they
/// exceed i64; beyond 64 bits they are f64.
using WrittenNumber = std::variant<double, int64_t, uint64_t>;

/// The numbers of `ARRAY[[1, 2], [3, 4]]`, row-major.
struct ArrayValue {
  Shape shape;
  std::vector<WrittenNumber> numbers;
};

/// Returns the dtype that holds all of these numbers exactly: i64 or u64; f64 if no number needs
/// these, or if neither holds all.
DType exact_dtype(const std::vector<WrittenNumber>& numbers);

/// Returns the bits of numbers in f64, i64 or u64. REQUIRES that the dtype holds them, or is f64.
std::vector<uint64_t> bits_of(const std::vector<WrittenNumber>& numbers, DType dtype);

/// True if an expression is a number literal, possibly with signs, or a truth value.
bool is_number(const Expression& expression);
/// True if an expression is an array of such numbers.
bool is_array_of_constants(const Expression& expression);

/// Evaluates an array. Errors: `user` if rows differ in length, or if an element is no number.
ArrayValue array_value(const Expression& expression);

/// Returns the array as an expression.
ExpressionPtr array_expression(const ArrayValue& value, SourceSpan span);

/// Parses `{{1,2},{3,4}}`, PostgreSQL's text of an array. Errors: as above.
ArrayValue parse_array(const std::string& text);

/// True if a type is one of tensors: `matrix[2][2]`, `f32[3]`.
bool is_array_type(const TypeName& type);

}  // namespace tessera::frontend::sql
