#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/bound_select.h"
#include "sql/level.h"
#include "sql/query.h"

namespace tessera::sql {

/// "a, b, c"
std::string list_of(const std::vector<std::string>& texts);

/// What a SELECT gives for one of its targets.
struct Output {
  std::string name;
  frontend::sql::ExpressionPtr scalar;                      // over the key table, or
  std::optional<TensorValue> tensor;                        // for each of its rows
  std::optional<database::ScalarType> type = std::nullopt;  // of the scalar where it is known
  bool may_be_nan = false;                                  // the scalar
  SourceSpan span = {};
};

/// One SELECT on its way through: base table of rows, groups, order, results.
class Block {
 public:
  Block(const BoundSelect& select, QueryCompiler& compiler)
      : select_(select),
        compiler_(compiler),
        group_by_(select.group_by),
        order_(select.order),
        having_(select.having),
        rows_(select.scope, compiler.vocabulary(), compiler.random_keys()) {}

  RelationPtr compile();

 private:
  Level& level() { return select_.is_grouped ? *groups_ : rows_; }
  database::Connection& connection() { return compiler_.connection(); }

  /// The rows that FROM and WHERE give, with all that the rest asks of them.
  void make_rows();

  void find_group_keys();
  void find_outputs();
  /// Whether nothing asks SQLite for anything more of the rows than their numbers.
  bool wants_numbers_alone();

  int64_t num_rows();

  /// Selects from the key table, with these clauses behind FROM; its rows are then the key table.
  void replace_table(const std::string& targets, const std::string& clauses);

  /// Numbers that tensors make of rows, and a condition by them that leaves rows out; it may be
  /// null.
  struct RowStage {
    Level::ComputedStage computed;
    frontend::sql::ExpressionPtr condition;
  };
  /// The conditions by what tensors make, in the order in which they are asked: one that may have
  /// no value is asked of the rows that the others leave.
  std::vector<RowStage> row_stages();
  /// The stages in which a level computes what it was asked for; the last leaves rows out.
  static std::vector<RowStage> stages_of(Level& level, frontend::sql::ExpressionPtr condition);
  /// Computes a stage's numbers and puts them beside the others; then leaves rows out.
  void add_computed(Level& level, const RowStage& stage);

  void make_groups();

  /// An aggregate of tensors by group.
  TensorRows merged(const Level::TensorAggregate& aggregate, int64_t num_groups);

  void order_rows();

  /// ` ORDER BY … LIMIT …`
  std::string order_text(const std::string& default_order);

  /// The column of an output in the result: SQLite's text, and the tensor behind it.
  std::string output_text(const Output& output, std::optional<TensorRows>& tensor);

  RelationPtr result();
  /// The rows of the result by these texts, where the key table is in memory and has them.
  std::optional<database::NumberRows> rows_of_result(const std::vector<std::string>& texts);

  const BoundSelect& select_;
  QueryCompiler& compiler_;
  std::vector<frontend::sql::ExpressionPtr> group_by_;
  std::vector<std::string> group_keys_;  // columns of the rows
  std::vector<frontend::sql::OrderKey> order_;
  frontend::sql::ExpressionPtr having_;
  Level rows_;
  std::optional<Level> groups_;
  std::vector<Output> outputs_;
  RelationPtr table_;  // of keys: of rows, then of groups
  Shape grid_;         // of its rows
};

/// Compiles one SELECT that tensors have a part in, and that asks for nothing of its own rows.
RelationPtr compile_block(const BoundSelect& select, QueryCompiler& compiler);

}  // namespace tessera::sql
