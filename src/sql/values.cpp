#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "frontend/sql/array_literal.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/query.h"
#include "sql/statement_error.h"
#include "sql/tensor_function.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

using Row = std::vector<ExpressionPtr>;

std::string column_name(size_t column) {
  return "column" + std::to_string(column + 1);
}

/// A row as a query of its own.
SelectPtr row_query(const Row& row) {
  Select query;
  for (size_t column = 0; column < row.size(); ++column) {
    query.targets.push_back({row[column], Name{column_name(column), {}}});
  }
  return std::make_shared<const Select>(std::move(query));
}

/// The arrays of one column of VALUES, all of one shape.
struct ArrayColumn {
  int64_t count = 0;
  ArrayValue all;

  void add(const Expression& expression, size_t row, size_t column) {
    const ArrayValue value = array_value(expression);
    TESSERA_USER_CHECK(count == 0 || all.shape == value.shape,
                       "row {} has a {} in column {} of VALUES, and a row before it a {}", row + 1,
                       shape_text(value.shape), column + 1, shape_text(all.shape));
    all.shape = value.shape;
    all.numbers.insert(all.numbers.end(), value.numbers.begin(), value.numbers.end());
    ++count;
  }

  std::shared_ptr<const store::MemoryTensor> tensor() const {
    ArrayType type{all.dtype, {count}};
    type.shape.insert(type.shape.end(), all.shape.begin(), all.shape.end());
    auto made = std::make_shared<store::MemoryTensor>(type);
    std::copy(all.numbers.begin(), all.numbers.end(), made->view().as<double>());
    return made;
  }
};

}  // namespace

SelectPtr union_of_rows(const Select& values) {
  SelectPtr rows = row_query(values.values.front());
  for (size_t row = 1; row < values.values.size(); ++row) {
    Select both;
    both.operation = Select::SetOperation::union_;
    both.is_all = true;
    both.left = std::move(rows);
    both.right = row_query(values.values[row]);
    rows = std::make_shared<const Select>(std::move(both));
  }
  Select whole = *rows;
  whole.with = values.with;
  whole.order = values.order;
  whole.limit = values.limit;
  whole.offset = values.offset;
  whole.span = values.span;
  return std::make_shared<const Select>(std::move(whole));
}

/// Whether tensors are computed in a row; those that are written out are not.
bool QueryCompiler::is_computed(const std::vector<ExpressionPtr>& row) {
  Row others;
  std::copy_if(row.begin(), row.end(), std::back_inserter(others), [](const ExpressionPtr& value) {
    return !is_number(*value) && !is_array_of_constants(*value) &&
           !std::holds_alternative<StringLiteral>(value->of) &&
           !std::holds_alternative<NullLiteral>(value->of);
  });
  return !others.empty() && uses_tensors(row_query(others), {});
}

/// Each column is one of scalars or one of tensors. Rows that follow each other and are written out
/// are made at once, any other as a query.
RelationPtr QueryCompiler::compile_values(const Select& query) {
  std::vector<RelationPtr> parts;
  Select written;
  const auto add_written = [&] {
    if (!written.values.empty()) {
      parts.push_back(written_rows(std::exchange(written, {})));
    }
  };
  for (const Row& row : query.values) {
    TESSERA_USER_CHECK(row.size() == query.values.front().size(),
                       "the rows of VALUES have {} and {} columns", query.values.front().size(),
                       row.size());
    if (is_computed(row)) {
      add_written();
      parts.push_back(compile(row_query(row)));
    } else {
      written.values.push_back(row);
    }
  }
  add_written();
  return ordered(parts.size() == 1 ? parts.front() : union_all(parts), query);
}

RelationPtr QueryCompiler::written_rows(Select query) {
  std::vector<ArrayColumn> arrays(query.values.front().size());
  for (size_t row = 0; row < query.values.size(); ++row) {
    for (size_t column = 0; column < arrays.size(); ++column) {
      ExpressionPtr& value = query.values[row][column];
      if (std::holds_alternative<ArrayLiteral>(value->of)) {
        at(value->span, [&] { arrays[column].add(*value, row, column); });
        value = make_expression(NumberLiteral{std::to_string(arrays[column].count - 1), true});
      }
    }
  }
  std::vector<RelationColumn> columns;
  for (size_t column = 0; column < arrays.size(); ++column) {
    columns.push_back({column_name(column)});
    if (arrays[column].count > 0) {
      columns.back().tensor = program_.add_stored(new_name(), arrays[column].tensor());
    }
  }
  return make_relation(
      sqlite_text(*prepared_scalar(std::make_shared<const Select>(std::move(query)), {})),
      std::move(columns));
}

}  // namespace tessera::sql
