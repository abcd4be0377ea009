#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/level.h"
#include "sql/query.h"

namespace tessera::sql {

/// "a, b, c"
std::string list_of(const std::vector<std::string>& texts);

/// What a SELECT gives for one of its targets.
struct Output {
  std::string name;
  frontend::sql::ExpressionPtr scalar;  // over the key table, or
  std::optional<TensorValue> tensor;    // for each of its rows
};

/// One SELECT on its way through: base table of rows, groups, order, results.
class Block {
 public:
  Block(const frontend::sql::Select& select, QueryCompiler& compiler)
      : select_(select),
        compiler_(compiler),
        rows_(scope_, compiler.vocabulary(), compiler.random_keys()) {}

  RelationPtr compile();

 private:
  Level& level() { return is_grouped_ ? *groups_ : rows_; }
  database::Connection& connection() { return compiler_.connection(); }

  void find_tables();
  frontend::sql::FromItemPtr without_tensors(const frontend::sql::FromItemPtr& item, bool is_inner);

  /// An expression that GROUP BY or ORDER BY names by its number or its name, as the target that is
  /// meant.
  frontend::sql::ExpressionPtr meant(const frontend::sql::ExpressionPtr& expression,
                                     bool columns_first);

  void find_targets();

  bool has_aggregates() const;

  /// The rows that FROM and WHERE give, with all that the rest asks of them.
  void make_rows();

  void find_outputs();

  int64_t num_rows();

  /// Selects from the key table, with these clauses behind FROM; its rows are then the key table.
  void replace_table(const std::string& targets, const std::string& clauses);

  /// Computes the numbers that tensors make of rows, and puts them beside the others.
  void add_computed(Level& level);

  void make_groups();

  /// An aggregate of tensors by group.
  TensorRows merged(const Level::TensorAggregate& aggregate, int64_t num_groups);

  void order_rows();

  /// ` ORDER BY … LIMIT …`
  std::string order_text(const std::string& default_order);

  /// The column of an output in the result: SQLite's text, and the tensor behind it.
  std::string output_text(const Output& output, std::optional<TensorRows>& tensor);

  RelationPtr result();

  const frontend::sql::Select& select_;
  QueryCompiler& compiler_;
  Scope scope_;
  std::vector<frontend::sql::FromItemPtr> from_;
  std::vector<frontend::sql::ExpressionPtr> conjuncts_;
  std::vector<frontend::sql::Target> targets_;
  std::vector<frontend::sql::ExpressionPtr> group_by_;
  std::vector<std::string> group_keys_;  // columns of the rows
  std::vector<frontend::sql::OrderKey> order_;
  frontend::sql::ExpressionPtr having_;
  bool is_grouped_ = false;
  Level rows_;
  std::optional<Level> groups_;
  std::vector<Output> outputs_;
  RelationPtr table_;  // of keys: of rows, then of groups
  Shape grid_;         // of its rows
};

}  // namespace tessera::sql
