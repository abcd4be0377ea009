#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/relation.h"

namespace tessera::sql {

/// What the names of columns mean within one SELECT.
class Scope {
 public:
  struct Entry {
    std::string alias;
    RelationPtr relation;
    std::vector<frontend::sql::Target> defined = {};  // columns that are expressions of others
  };

  void add(std::string alias, RelationPtr relation) {
    entries_.push_back({std::move(alias), std::move(relation)});
  }
  /// A table with a column that is an expression of others, as what unnest gives. Rows are left out
  /// where the condition does not hold.
  void add_defined(std::string alias, RelationPtr relation, frontend::sql::Target column,
                   frontend::sql::ExpressionPtr condition) {
    entries_.push_back({std::move(alias), std::move(relation), {std::move(column)}});
    conditions_.push_back(std::move(condition));
  }
  /// A query that is part of an expression and gives tensors: the first column of a relation.
  void add_query(const frontend::sql::SelectPtr& query, RelationPtr relation) {
    queries_[query] = std::move(relation);
  }
  RelationPtr find_query(const frontend::sql::SelectPtr& query) const {
    const auto found = queries_.find(query);
    return found == queries_.end() ? nullptr : found->second;
  }

  /// The tensors that a query behind IN gives: the first column of a relation, in which equal ones
  /// have one row number.
  struct TensorSet {
    RelationPtr relation;
    bool has_members = false;  // that are not NULL
  };
  void add_set(const frontend::sql::SelectPtr& query, TensorSet set) {
    sets_[query] = std::move(set);
  }
  const std::map<frontend::sql::SelectPtr, TensorSet>& sets() const { return sets_; }
  /// Knows what another scope does of queries in expressions.
  void add_queries_of(const Scope& other) {
    queries_.insert(other.queries_.begin(), other.queries_.end());
    sets_.insert(other.sets_.begin(), other.sets_.end());
  }

  /// The rows that queries in expressions are asked for: all of FROM where these conditions hold,
  /// some of which may be by what tensors make. Conditions without FROM tell nothing.
  struct AskedRows {
    std::vector<frontend::sql::FromItemPtr> from;
    std::vector<frontend::sql::ExpressionPtr> conditions;
  };
  const AskedRows& asked_rows() const { return asked_rows_; }
  /// Sets them, and gives those before.
  AskedRows ask_for(AskedRows rows) { return std::exchange(asked_rows_, std::move(rows)); }

  /// The query around, whose columns this scope may name too. It outlives the scope.
  void stand_in(const Scope& around) { around_ = &around; }

  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<frontend::sql::ExpressionPtr>& conditions() const { return conditions_; }
  /// What a column is that is an expression of others; null for all else.
  frontend::sql::ExpressionPtr find_defined(const frontend::sql::ColumnReference& reference) const;

  /// The column of tensors that is meant; null for a scalar, and for what is no column here.
  /// Errors: `user` where several are meant.
  const RelationColumn* find_tensor(const frontend::sql::ColumnReference& reference) const;
  /// The tensors that a column or a query within an expression gives; null for all else.
  const RelationColumn* find_tensor(const frontend::sql::ExpressionPtr& expression) const;
  /// The type of a scalar column, of the query around too, where it is known.
  std::optional<database::ScalarType> find_scalar(
      const frontend::sql::ColumnReference& reference) const;
  bool has_column(const std::string& name) const;
  /// True if a column, a query within an expression, or a sum of a column's floats may be NaN.
  bool may_be_nan(const frontend::sql::ExpressionPtr& expression) const;

  /// `t.*` as references to columns. Errors: `user` where there is no such table.
  std::vector<frontend::sql::Target> columns_of(const frontend::sql::Name& table) const;

 private:
  std::vector<Entry> entries_;
  std::vector<frontend::sql::ExpressionPtr> conditions_;
  std::map<frontend::sql::SelectPtr, RelationPtr> queries_;
  std::map<frontend::sql::SelectPtr, TensorSet> sets_;
  AskedRows asked_rows_;
  const Scope* around_ = nullptr;
};

/// All columns of one table that are not hidden, as references.
std::vector<frontend::sql::Target> columns_of(const Scope::Entry& entry);

}  // namespace tessera::sql
