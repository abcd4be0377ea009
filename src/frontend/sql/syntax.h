#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontend/sql/query.h"

/// SQL as written, before names are resolved. Spans are in the user's text.
namespace tessera::frontend::sql {

struct ColumnDefinition {
  Name name;
  TypeName type;
  bool is_not_null = false;
  bool is_primary_key = false;
  bool is_unique = false;
  ExpressionPtr check;          // may be null
  ExpressionPtr default_value;  // may be null
};

/// PRIMARY KEY (a, b), UNIQUE (a, b) or CHECK (c) of a table.
struct TableConstraint {
  enum class Kind : uint8_t { primary_key, unique, check } kind;
  std::optional<std::string> name;  // CONSTRAINT name; named ones of columns are here too
  std::vector<Name> columns;
  ExpressionPtr condition;
};

struct CreateTable {
  Name table;
  bool if_not_exists = false;
  bool is_temporary = false;
  std::vector<ColumnDefinition> columns;
  std::vector<TableConstraint> constraints;
};

struct CreateTableAs {
  Name table;
  bool if_not_exists = false;
  std::vector<Name> columns;
  SelectPtr query;
};

/// One index of a definition: `[i:0...9]`, `[i:0...]`, `[j:9]`, `[9]`, or `[i]`, an index bound
/// before.
struct DefinedIndex {
  std::optional<Name> name;
  ExpressionPtr low;
  ExpressionPtr high;     // null for one value, or if there is no end
  bool is_range = false;  // with `...`
  SourceSpan span;
};

/// `CREATE TABLE W[i:1...][j:0...9] (columns) AS SELECT …`: the contents of the versions that it
/// covers.
struct DefineVersions {
  Name table;
  std::vector<DefinedIndex> indices;
  std::vector<Name> columns;
  SelectPtr query;
  std::string text;  // as written, to be kept
};

struct CreateView {
  Name view;
  bool or_replace = false;
  std::vector<Name> columns;
  SelectPtr query;
  std::string text;  // of the query
};

struct CreateIndex {
  std::optional<Name> index;
  Name table;
  bool is_unique = false;
  bool if_not_exists = false;
  std::vector<OrderKey> keys;
};

struct Drop {
  enum class Kind : uint8_t { table, view, index } kind;
  bool if_exists = false;
  std::vector<Name> names;
};

/// `ALTER TABLE t RENAME TO u`, or of a column `RENAME a TO b`.
struct Rename {
  Name table;
  std::optional<Name> column;
  Name name;
};

struct Insert {
  Name table;
  std::vector<Name> columns;
  SelectPtr query;  // VALUES too
  std::vector<Target> returning;
};

struct Update {
  struct Assignment {
    Name column;
    ExpressionPtr value;
  };
  Name table;
  std::optional<Name> alias;
  std::vector<Assignment> assignments;
  std::vector<FromItemPtr> from;
  ExpressionPtr where;  // may be null
};

struct Delete {
  Name table;
  std::optional<Name> alias;
  std::vector<FromItemPtr> from;  // of USING
  ExpressionPtr where;            // may be null
};

/// `COPY t (columns) FROM 'file' (FORMAT npy)`, `COPY (SELECT …) TO 'file'`.
struct Copy {
  struct Option {
    Name name;
    std::string value;
  };
  std::optional<Name> table;
  std::vector<Name> columns;
  SelectPtr query;  // null for a table
  bool is_from = false;
  std::string file;  // empty: standard input or output
  std::vector<Option> options;
};

struct Transaction {
  enum class Kind : uint8_t { begin, commit, rollback } kind;
};

struct Query {
  SelectPtr query;
};

/// `MATERIALIZE W[50][j]`: keeps a version.
struct Materialize {
  TableReference version;
};

struct Statement;
using StatementPtr = std::shared_ptr<const Statement>;

/// `EXECUTE (FOR j IN 0...50: statement)`, loops may be nested; the statement is a query or
/// MATERIALIZE.
struct Execute {
  struct Loop {
    Name name;
    ExpressionPtr low, high;
  };
  std::vector<Loop> loops;
  StatementPtr body;
};

/// `EXPLAIN (ANALYZE, FORMAT json) statement`.
struct Explain {
  std::vector<Copy::Option> options;
  StatementPtr statement;
};

struct Statement {
  std::variant<Query, CreateTable, CreateTableAs, DefineVersions, CreateView, CreateIndex, Drop,
               Rename, Insert, Update, Delete, Copy, Transaction, Materialize, Execute, Explain>
      of;
  SourceSpan span;
};

}  // namespace tessera::frontend::sql
