#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "database/database.h"
#include "engine/execution/run_control.h"
#include "frontend/sql/syntax.h"
#include "sql/key_tables.h"
#include "sql/level.h"
#include "sql/outer_names.h"
#include "sql/random_keys.h"
#include "sql/relation.h"
#include "sql/scalar_types.h"
#include "sql/scope.h"
#include "sql/tensor_part.h"

namespace tessera::sql {

/// Who knows what a table in a query is, beside the tables of the database: versions, views.
class TableFinder {
 public:
  virtual ~TableFinder() = default;
  /// The relation of a version, or of a view; null where the name is neither.
  virtual RelationPtr find(const frontend::sql::TableReference& table, SourceSpan span) = 0;
  /// At least these first rows of a view whose query is a recursion; null for all other names.
  virtual RelationPtr find_first_rows(const std::string& view, int64_t count) = 0;
  /// What a query reads will be asked for: what has to be computed for it may be computed at once.
  virtual void expect(const frontend::sql::SelectPtr& query) = 0;
};

/// A query within an expression that names columns of the query around, and what these are.
struct OuterColumns {
  frontend::sql::SelectPtr query;  // with columns of a table of values in their place
  std::vector<frontend::sql::ExpressionPtr> columns;
  std::map<std::pair<std::string, std::string>, std::string> names;  // o1, o2, …
  bool are_in_from = false;  // whether some are named in a query in its FROM
};

/// Splits queries: the key part of each SELECT is run by SQLite, with row numbers standing for
/// tensors, and the rest becomes part of the tensor program.
///
/// Threads: one at a time.
class QueryCompiler {
 public:
  /// All outlive it.
  QueryCompiler(database::Database& database, TensorProgram& program, const Vocabulary& vocabulary,
                TableFinder& finder, const engine::RunControl& control, RandomKeys keys);

  /// The rows of a query, in their order. Its scalars are there, its tensors are once the program
  /// has run.
  RelationPtr compile(const frontend::sql::SelectPtr& query);

  /// Compiles a whole statement, whose rows are read once. If it uses no tensor, its rows come
  /// straight from SQLite and are not kept in a table.
  std::variant<RowQuery, RelationPtr> compile_result(const frontend::sql::SelectPtr& query);
  /// Compiles a query to find its errors: at most one step of a recursion.
  void check(const frontend::sql::SelectPtr& query);
  bool is_checking() const { return is_checking_; }

  /// The same with names for its columns, which may be fewer than it has.
  RelationPtr compile_named(const frontend::sql::SelectPtr& query,
                            const std::vector<frontend::sql::Name>& names);
  /// The rows of a view.
  RelationPtr compile(const frontend::sql::CreateView& view) {
    return compile_named(view.query, view.columns);
  }

  /// The query as SQLite's where no tensor has a part in it; nothing else.
  std::optional<std::string> scalar_text(const frontend::sql::SelectPtr& query);

  /// A query as a relation. `whole` are the columns of which each row has that of the tensor with
  /// its number.
  RelationPtr make_relation(const std::string& sqlite_query, std::vector<RelationColumn> columns,
                            const std::set<size_t>& whole = {});
  /// A query over scalars as a relation.
  RelationPtr make_relation(const std::string& sqlite_query);

  /// The same where the table may be that of an equal query of this statement; nobody changes it.
  RelationPtr shared_relation(const std::string& sqlite_query, std::vector<RelationColumn> columns,
                              const std::set<size_t>& whole = {});
  RelationPtr shared_relation(const std::string& sqlite_query);
  /// The same of a query whose rows are read into memory, where all of them are whole numbers and
  /// NULLs: SQLite has them as a table if a statement names it.
  RelationPtr shared_numbers(const std::string& sqlite_query);
  /// The same where they are known.
  RelationPtr shared_numbers(const std::string& sqlite_query, std::vector<RelationColumn> columns,
                             const std::set<size_t>& whole, database::NumberRows rows);

  /// The rows of several relations one after the other (UNION ALL).
  RelationPtr union_all(const std::vector<RelationPtr>& relations);

  /// A table of the database, or what the finder has. Errors: `user` where there is none.
  RelationPtr find_table(const frontend::sql::TableReference& table, SourceSpan span);

  /// A table of the query that is being compiled, as WITH defines it.
  void define(const std::string& name, RelationPtr relation) {
    common_.back()[name] = std::move(relation);
  }

  /// Those of the statement or the version that is compiled.
  RandomKeys& random_keys() { return random_keys_; }

  /// The most steps that a recursion over tensors may take.
  int64_t most_steps() const { return most_steps_; }
  void allow_steps(int64_t most) { most_steps_ = most; }

  /// The first queries that SQLite was given, for EXPLAIN, and how many there were.
  const std::vector<std::string>& key_queries() const { return key_queries_; }
  int64_t num_key_queries() const { return num_tables_; }

  database::Connection& connection() { return database_.connection(); }
  KeyTables& key_tables() { return key_tables_; }
  TensorProgram& program() { return program_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const engine::RunControl& control() const { return control_; }

  /// A query within another, its tables found and those with tensors compiled.
  frontend::sql::FromItemPtr prepared(const frontend::sql::FromItemPtr& item, Scope& scope);
  /// A query that is part of an expression, its tables found; it may not give tensors.
  frontend::sql::SelectPtr prepared_scalar(const frontend::sql::SelectPtr& query,
                                           const Scope& around);
  frontend::sql::ExpressionPtr prepared(const frontend::sql::ExpressionPtr& expression,
                                        Scope& scope);
  /// The same that may give tensors: it is then one of the rows that it gave. Errors: `user` where
  /// they are several and one is wanted.
  frontend::sql::ExpressionPtr prepared_in(const frontend::sql::In& in, SourceSpan span,
                                           Scope& scope);
  frontend::sql::SelectPtr prepared_within(const frontend::sql::SelectPtr& query, bool is_one_row,
                                           Scope& scope);

 private:
  using CommonTables = std::map<std::string, RelationPtr>;

  bool tells_rows(const frontend::sql::ExpressionPtr& condition, const Scope& scope) const;
  frontend::sql::ExpressionPtr prepared_case(const frontend::sql::Case& node, SourceSpan span,
                                             Scope& scope);

  std::vector<RelationColumn> columns_of(const std::string& sqlite_query);
  /// What has the name and the keys of a table that is new.
  using MakesTable = std::function<KeyTables::TablePtr(const std::string& name,
                                                       const std::vector<std::string>& keys)>;
  RelationPtr shared(const std::string& sqlite_query, std::vector<RelationColumn> columns,
                     const std::set<size_t>& whole, const MakesTable& make);
  /// The rows of a query over scalars, which reads these tables among others.
  RowQuery rows_of(const std::string& sqlite_query, std::vector<RelationPtr> reads);
  void note(const std::string& sqlite_query);

  bool is_of_tensors(const std::string& function) const;
  bool uses_tensors(const frontend::sql::SelectPtr& query, std::set<std::string> tensors_around);
  /// The type of the value that a query stands for, where it is known.
  std::optional<database::ScalarType> type_of_value(const frontend::sql::SelectPtr& query);
  Scope scope_of(const frontend::sql::Select& query);
  /// The names of a query's results, with their types where they are scalars of known ones.
  std::vector<RelationColumn> scalars_of(const frontend::sql::Select& query);
  /// True if the value that a query stands for may be NaN.
  bool gives_nan(const frontend::sql::Select& query);
  /// A column of a set operation or of VALUES: all that is written for it.
  struct WrittenColumn {
    std::string name;
    std::vector<TypedValue> values = {};
    bool may_be_nan = false;
  };
  /// Returns these columns; none if one of the queries has columns that SQLite alone knows.
  std::vector<WrittenColumn> written_columns(const frontend::sql::Select& query);
  bool add_written_values(const frontend::sql::Select& query, std::vector<WrittenColumn>& columns);
  /// Returns a set operation or VALUES whose quoted literals have the types of their columns.
  /// Errors: `user` if a column has dates and values of another type.
  frontend::sql::SelectPtr with_column_types(const frontend::sql::SelectPtr& query);
  /// Prepares a query whose literals have the types of their columns.
  frontend::sql::SelectPtr prepared_typed(const frontend::sql::SelectPtr& query,
                                          const Scope& around);
  CommonTables defined_by(const frontend::sql::Select& query);
  RelationPtr rows_of_function(const frontend::sql::FromItemPtr& item);
  /// Defines the views of which a query takes the first rows alone, so that a recursion in one
  /// ends.
  void define_first_rows_of_views(const frontend::sql::Select& query);
  /// Compiles a query after finder_ was told of it.
  RelationPtr compile_expected(const frontend::sql::SelectPtr& query);
  RelationPtr compile_body(const frontend::sql::SelectPtr& query);
  RelationPtr with_types(const RelationPtr& relation, const frontend::sql::Select& query);
  /// Gives their types to the columns of scalars whose types are not known.
  RelationPtr with_types_of_scalars(const RelationPtr& relation,
                                    const frontend::sql::Select& query);
  void set_types(std::vector<RelationColumn>& columns, const frontend::sql::Select& query);
  RelationPtr compile_values(const frontend::sql::Select& query);
  bool is_computed(const std::vector<frontend::sql::ExpressionPtr>& row);
  /// VALUES whose tensors are written out.
  RelationPtr written_rows(frontend::sql::Select query);
  RelationPtr compile_set_operation(const frontend::sql::Select& query);
  /// A query within another with what `make` says replaced in it, and in those within it, by what
  /// each can name; queries in FROM and in WITH stay.
  frontend::sql::SelectPtr rewritten_within(const frontend::sql::SelectPtr& query,
                                            const Scope& around, const MakesRewrites& make);
  OuterColumns outer_columns(const frontend::sql::SelectPtr& query, const Scope& around);
  bool names_outer_columns(const frontend::sql::FromItemPtr& item, const Scope& around);
  frontend::sql::SelectPtr with_outer_values(const frontend::sql::SelectPtr& query,
                                             const Scope& around, OuterColumns& outer);
  RelationPtr outer_values(const OuterColumns& outer, const Scope& around);
  RelationPtr rows_asked(const OuterColumns& outer, const Scope::AskedRows& asked,
                         const Scope& around);
  /// The column that stands for one of a table, or for an aggregate.
  using NamesColumn = std::function<frontend::sql::ExpressionPtr(
      const frontend::sql::ExpressionPtr& part, const std::string& table)>;
  frontend::sql::SelectPtr over_groups(const frontend::sql::SelectPtr& query, const Scope& around,
                                       const NamesColumn& columns);
  frontend::sql::SelectPtr with_own_aggregates(const frontend::sql::SelectPtr& query);
  frontend::sql::SelectPtr for_all_values(const frontend::sql::SelectPtr& query,
                                          const Relation& values, size_t num_values,
                                          bool fills_gaps);
  RelationPtr values_without_rows(const frontend::sql::Select& query, const Relation& values,
                                  const std::vector<frontend::sql::Name>& keys);
  frontend::sql::SelectPtr rows_of_nothing(const frontend::sql::Select& query, const Relation& gaps,
                                           const std::vector<frontend::sql::Name>& keys);
  void index_rows(const Relation& rows, const std::vector<std::string>& keys);
  /// A query about tensors that runs once for all values that the one around asks with.
  frontend::sql::SelectPtr prepared_correlated(const OuterColumns& outer, bool is_one_row,
                                               Scope& scope);
  void check_types(const std::vector<RelationPtr>& relations, size_t column,
                   const std::vector<TensorRows>& parts);
  /// ORDER BY, LIMIT and OFFSET of rows that are there.
  RelationPtr ordered(const RelationPtr& rows, const frontend::sql::Select& query);
  RelationPtr combined_rows(const frontend::sql::Select& query, const RelationPtr& rows,
                            int64_t num_left);
  RelationPtr with_aliases(RelationPtr relation, const std::vector<frontend::sql::Name>& names);
  std::string new_name() { return "tessera_q" + std::to_string(++num_tables_); }

  database::Database& database_;
  TensorProgram& program_;
  Vocabulary vocabulary_;
  TableFinder& finder_;
  bool is_checking_ = false;  // the query is compiled for its errors alone
  const engine::RunControl& control_;
  std::vector<CommonTables> common_;           // of the queries around, the innermost last
  std::vector<const Scope*> scopes_around_;    // of the queries around, the innermost last
  std::map<std::string, RelationPtr> tables_;  // of the database
  std::vector<RelationPtr> held_;  // by the queries that are being compiled, the innermost last
  RandomKeys random_keys_;
  KeyTables key_tables_;
  std::map<frontend::sql::SelectPtr, std::optional<database::ScalarType>> types_of_values_;
  std::vector<std::string> key_queries_;  // the first of them
  int64_t num_tables_ = 0;
  int64_t most_steps_ = 100'000;
};

/// VALUES as SELECTs with UNION ALL between them.
frontend::sql::SelectPtr union_of_rows(const frontend::sql::Select& values);

/// True if a query is one aggregate of all its rows and nothing else: of no rows its value is NULL,
/// or 0 if it counts.
bool is_plain_aggregate(const frontend::sql::Select& query, const Vocabulary& vocabulary);

/// The name of a result's column, as PostgreSQL gives it: its alias, the column that it is, what it
/// calls.
std::string name_of(const frontend::sql::Target& target);

}  // namespace tessera::sql
