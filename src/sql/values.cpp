#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "frontend/sql/array_literal.h"
#include "frontend/sql/rewrite.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/query.h"
#include "sql/written_values.h"

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
  const WrittenValues values(std::move(query));
  std::vector<RelationColumn> columns;
  for (size_t column = 0; column < values.num_columns(); ++column) {
    columns.push_back({column_name(column)});
    if (values.has_arrays(column)) {
      columns.back().tensor = program_.add_stored(new_name(), values.tensor(column));
    }
  }
  const std::vector<int64_t> from_0(values.num_columns(), 0);
  return make_relation(sqlite_text(*prepared_scalar(values.numbered(from_0), {})),
                       std::move(columns));
}

}  // namespace tessera::sql
