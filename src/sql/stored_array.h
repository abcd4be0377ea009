#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "database/catalog.h"
#include "frontend/sql/array_literal.h"
#include "frontend/sql/syntax.h"

namespace tessera::sql {

/// Whether a number is one of a dtype of whole numbers, or has any place in another.
bool is_number_of(double number, DType dtype);

/// Errors: `user`, 22003, if a number is none of the dtype of whole numbers, or may be another than
/// the one that was written. They begin with `before` and end with `behind`.
void check_numbers(const frontend::sql::ArrayValue& value, DType dtype, const std::string& before,
                   const std::string& behind);

/// "[2][3]": where a number stands in an array, counted from 1.
std::string place_text(size_t place, const Shape& shape);

/// Errors: `user` where an array has not a column's shape, or has a number that is none of its
/// dtype; `row` is the one that is told, counted from 1.
void check_array(const frontend::sql::ArrayValue& value, const database::Column& column,
                 const std::string& table, std::optional<int64_t> row);

/// An array as it was written for a column of tensors, where it may be a text as PostgreSQL writes
/// arrays: '{{1,2},{3,4}}'. All else stays. Errors: those of check_array, at the expression.
frontend::sql::ExpressionPtr stored_array(const frontend::sql::ExpressionPtr& expression,
                                          const database::Column& column, const std::string& table,
                                          std::optional<int64_t> row);

/// VALUES for these columns of a table, or if there are none said for all of it.
frontend::sql::SelectPtr with_arrays(const frontend::sql::SelectPtr& query,
                                     const database::Table& table,
                                     const std::vector<size_t>& places);

}  // namespace tessera::sql
