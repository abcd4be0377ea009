#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sql/sqlite_text.h"
#include "sql/equal_tensors.h"
#include "sql/first_part.h"
#include "sql/query.h"
#include "sql/stages.h"

namespace tessera::sql {

using namespace frontend::sql;  // NOLINT(google-build-using-namespace): the syntax is what this is
                                // about

namespace {

const RelationColumn& column_of(const Relation& relation, size_t column, size_t num_columns) {
  TESSERA_USER_CHECK(relation.columns.size() == num_columns,
                     "the queries of a UNION have {} and {} columns", num_columns,
                     relation.columns.size());
  return relation.columns[column];
}

}  // namespace

RelationPtr QueryCompiler::compile_set_operation(const Select& query) {
  const RelationPtr left = compile(query.left);
  const RelationPtr right = compile(query.right);
  RelationPtr rows = union_all({left, right});
  if (!query.is_all || query.operation != Select::SetOperation::union_) {
    rows = combined_rows(query, with_equal_rows(rows, *this),
                         connection().integer("SELECT count(*) FROM " + sqlite_name(left->table)));
  }
  return ordered(rows, query);
}

RelationPtr QueryCompiler::ordered(const RelationPtr& rows, const Select& query) {
  if (query.order.empty() && !query.limit && !query.offset) {
    return rows;
  }
  BoundSelect ordered = select_from(rows, kFirstPart);
  for (OrderKey key : query.order) {
    const ExpressionPtr target = meant_target(key.expression, ordered.targets);
    key.expression = target ? target : prepared(key.expression, ordered.scope);
    ordered.order.push_back(std::move(key));
  }
  Scope nothing;  // LIMIT names no column
  ordered.limit = prepared(query.limit, nothing);
  ordered.offset = prepared(query.offset, nothing);
  ordered.scope.add_queries_of(nothing);
  return compile_bound(std::move(ordered), *this);
}

/// UNION, INTERSECT or EXCEPT of the first rows of a relation and the others, in which tensors are
/// equal where their row numbers are. With ALL equal rows are told apart by their number.
RelationPtr QueryCompiler::combined_rows(const Select& query, const RelationPtr& rows,
                                         int64_t num_left) {
  std::string columns;
  for (const RelationColumn& column : rows->columns) {
    columns += (columns.empty() ? "" : ", ") + sqlite_name(column.key);
  }
  const std::string_view word = query.operation == Select::SetOperation::union_      ? "UNION"
                                : query.operation == Select::SetOperation::intersect ? "INTERSECT"
                                                                                     : "EXCEPT";
  const std::string numbered =
      query.is_all
          ? fmt::format("{0}, row_number() OVER (PARTITION BY {0}) AS tessera_number", columns)
          : columns;
  const std::string combined = fmt::format(
      "SELECT {0} FROM {1} WHERE rowid <= {2} {3} SELECT {0} FROM {1} WHERE rowid > {2}", numbered,
      sqlite_name(rows->table), num_left, word);
  return make_relation(
      query.is_all ? fmt::format("SELECT {} FROM ({})", columns, combined) : combined,
      rows->columns);
}

/// Errors: `user` unless all that is not NULL in a column are tensors of one shape.
void QueryCompiler::check_types(const std::vector<RelationPtr>& relations, size_t column,
                                const std::vector<TensorRows>& parts) {
  const std::string& name = relations.front()->columns[column].name;
  for (const TensorRows& part : parts) {
    const Shape& shape = parts.front().element.shape;
    TESSERA_USER_CHECK(part.element.shape == shape, "column {} of a UNION is a {} and a {}", name,
                       shape_text(shape), shape_text(part.element.shape));
  }
  for (const RelationPtr& relation : relations) {
    const RelationColumn& part = relation->columns[column];
    TESSERA_USER_CHECK(part.tensor || connection().integer(fmt::format(
                                          "SELECT count({}) FROM {}", sqlite_name(part.key),
                                          sqlite_name(relation->table))) == 0,
                       "column {} of a UNION has tensors, and scalars", name);
  }
}

RelationPtr QueryCompiler::union_all(const std::vector<RelationPtr>& relations) {
  std::vector<RelationColumn> columns = relations.front()->columns;
  std::vector<std::string> texts(relations.size());
  for (size_t column = 0; column < columns.size(); ++column) {
    int64_t first_row = 0;
    std::vector<TensorRows> parts;
    for (size_t number = 0; number < relations.size(); ++number) {
      const RelationColumn& part = column_of(*relations[number], column, columns.size());
      if (number > 0 && part.scalar != columns[column].scalar) {
        columns[column].scalar = std::nullopt;
      }
      columns[column].may_be_nan = columns[column].may_be_nan || part.may_be_nan;
      texts[number] += (column == 0 ? "" : ", ") + sqlite_name(part.key) +
                       (first_row == 0 ? "" : " + " + std::to_string(first_row)) + " AS " +
                       sqlite_name(columns[column].name);
      if (part.tensor) {
        first_row += num_rows(*part.tensor);
        parts.push_back(*part.tensor);
      }
    }
    columns[column].is_same_if_equal = false;  // as several are together
    columns[column].tensor = std::nullopt;
    if (!parts.empty()) {
      check_types(relations, column, parts);
      columns[column].tensor = program_.add_joined(parts);
    }
  }
  // One by one, as SQLite takes no more than some hundred queries in one UNION.
  const auto query_of = [&](size_t number) {
    return fmt::format("SELECT {} FROM {} ORDER BY rowid", texts[number],
                       sqlite_name(relations[number]->table));
  };
  RelationPtr joined = make_relation(query_of(0), std::move(columns));
  for (size_t number = 1; number < relations.size(); ++number) {
    connection().execute(
        fmt::format("INSERT INTO temp.{} {}", sqlite_name(joined->table), query_of(number)));
  }
  return joined;
}

}  // namespace tessera::sql
