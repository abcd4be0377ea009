#pragma once

#include <vector>

#include "frontend/sql/syntax.h"

namespace tessera::sql {

/// The columns by which the tables of a query are joined and its rows are grouped: those that may
/// lay its rows out as a grid. Of columns that conditions make equal there is one.
class GridKeys {
 public:
  /// From the conditions of WHERE, of inner joins, and what is grouped by.
  GridKeys(const std::vector<frontend::sql::ExpressionPtr>& conjuncts,
           const std::vector<frontend::sql::FromItemPtr>& from,
           const std::vector<frontend::sql::ExpressionPtr>& group_by);

  /// One column of each class; those of the groups first.
  std::vector<frontend::sql::ExpressionPtr> representatives() const;

 private:
  size_t class_of(const frontend::sql::ExpressionPtr& column);
  void add_condition(const frontend::sql::ExpressionPtr& condition);
  void add_joins(const frontend::sql::FromItemPtr& item);
  void add_columns_in_common(const frontend::sql::JoinReference& join);

  std::vector<std::vector<frontend::sql::ExpressionPtr>> classes_;
};

}  // namespace tessera::sql
