#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "database/column_type.h"
#include "database/sqlite.h"
#include "sql/tensor_part.h"

namespace tessera::sql {

/// A table of SQLite's that is there for a while.
class TemporaryTable {
 public:
  /// Makes it of a query's rows, under these names for its columns, no two alike. The connection
  /// outlives it.
  TemporaryTable(database::Connection& connection, std::string name,
                 const std::vector<std::string>& columns, const std::string& query);
  /// The same of rows in memory: SQLite has them once a statement names the table. REQUIRES at most
  /// database::LentTables::kMostColumns columns.
  TemporaryTable(database::Connection& connection, std::string name,
                 const std::vector<std::string>& columns, database::NumberRows rows);
  ~TemporaryTable();
  TemporaryTable(const TemporaryTable&) = delete;
  TemporaryTable& operator=(const TemporaryTable&) = delete;

  const std::string& name() const { return name_; }
  /// Its rows where they are in memory.
  const std::optional<database::NumberRows>& rows() const { return rows_; }

 private:
  database::Connection& connection_;
  std::string name_;
  std::optional<database::NumberRows> rows_;
};

/// A column of a relation. Where it is one of tensors, SQLite has row numbers of `tensor` there, or
/// NULL.
struct RelationColumn {
  std::string name;
  std::string key =
      name;  // what SQLite calls it: of two columns with one name the second has another there
  std::optional<TensorRows> tensor = std::nullopt;
  /// The table whose rows have here those of the tensor, each at its place; empty where none does.
  std::string whole_in = std::string();
  std::optional<database::ScalarType> scalar =
      std::nullopt;               // what it holds else; none where that is not known
  bool is_hidden = false;         // from `*`
  bool is_same_if_equal = false;  // whether equal tensors have one row number
  bool may_be_nan = false;        // a scalar that may be NaN (database/not_a_number.h)
};

/// What a query reads or gives: a table of SQLite's, and what its columns of tensors stand for.
struct Relation {
  std::string table;
  std::vector<RelationColumn> columns;
  std::shared_ptr<const TemporaryTable> owned =
      nullptr;  // where the table is there for this relation

  bool has_tensors() const {
    for (const RelationColumn& column : columns) {
      if (column.tensor) {
        return true;
      }
    }
    return false;
  }
};
using RelationPtr = std::shared_ptr<const Relation>;

/// The rows of a query: SQLite computes them as they are asked for, or they are in memory.
struct RowQuery {
  std::vector<RelationPtr> reads;  // tables that are there as long as the statement
  std::vector<RelationColumn> columns;
  std::variant<database::Statement, database::NumberRows> rows;
};

}  // namespace tessera::sql
