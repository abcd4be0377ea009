#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/scope.h"

namespace tessera::sql {

/// Tables of a FROM clause that equal columns and other conditions tie together.
struct FromFactor {
  std::vector<frontend::sql::FromItemPtr> items;
  std::vector<std::string> aliases;                      // of the items
  std::vector<frontend::sql::ExpressionPtr> conditions;  // on these tables alone
};

/// FROM and WHERE of a SELECT as a product of factors: its rows are each row of one factor with
/// each row of the others, but for those that conditions `a.x <> b.y` between two factors leave
/// out.
class FromFactors {
 public:
  /// Nothing if a condition is of no known tables, or if FROM has an outer join.
  static std::optional<FromFactors> of(const std::vector<frontend::sql::FromItemPtr>& from,
                                       const std::vector<frontend::sql::ExpressionPtr>& conjuncts,
                                       const Scope& scope);

  const std::vector<FromFactor>& factors() const { return factors_; }
  /// The conditions between factors.
  const std::vector<frontend::sql::ExpressionPtr>& differences() const { return differences_; }
  /// All tables and conditions, side by side.
  const std::vector<frontend::sql::FromItemPtr>& items() const { return items_; }
  const std::vector<frontend::sql::ExpressionPtr>& conjuncts() const { return conjuncts_; }

  /// The factor whose columns an expression names, the first if it names none; nothing if it names
  /// columns of several, or of no table here.
  std::optional<size_t> factor_of(const frontend::sql::ExpressionPtr& expression) const;

  /// All factors whose columns an expression names, in ascending order; nothing if it names columns
  /// of no table here.
  std::optional<std::vector<size_t>> factors_of(
      const frontend::sql::ExpressionPtr& expression) const;

 private:
  explicit FromFactors(const Scope& scope) : scope_(&scope) {}

  std::optional<size_t> factor_of(const frontend::sql::ColumnReference& column) const;
  void tie(std::vector<size_t> factors);
  bool add_conditions();

  const Scope* scope_;  // outlives it
  std::vector<FromFactor> factors_;
  std::vector<frontend::sql::ExpressionPtr> differences_;
  std::vector<frontend::sql::FromItemPtr> items_;
  std::vector<frontend::sql::ExpressionPtr> conjuncts_;
};

}  // namespace tessera::sql
