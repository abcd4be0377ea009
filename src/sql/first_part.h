#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sql/bound_select.h"
#include "sql/choices_by_tensors.h"

namespace tessera::sql {

/// What a table of rows is called that a SELECT within made.
inline constexpr const char* kFirstPart = "tessera_first";

/// What an expression is, whatever its columns' tables are called where they need not be: two
/// expressions with the same identity have the same values.
std::string identity_of(const frontend::sql::ExpressionPtr& expression, const Scope& scope);

/// Divides a SELECT: gathers the columns that a SELECT within has to give for one over them.
class FirstPart {
 public:
  /// The compiler outlives it.
  FirstPart(Scope scope, QueryCompiler& compiler) : scope_(std::move(scope)), compiler_(compiler) {}

  /// The column that has an expression's values; a number or a text stays what it is.
  frontend::sql::ExpressionPtr column_of(const frontend::sql::ExpressionPtr& expression);

  /// The same expression over such columns: of the ones that are there already, of plain ones, and
  /// of all that is given to these aggregates.
  frontend::sql::ExpressionPtr over_columns(const frontend::sql::ExpressionPtr& expression,
                                            const ExpressionSet& given_columns);

  /// A query that names columns of this SELECT, as one that asks with columns of the SELECT within;
  /// any other stays what it is.
  frontend::sql::SelectPtr asking_with_columns(const frontend::sql::SelectPtr& query);

  /// SQLite will compare this column's values: where they are tensors, those that are equal get one
  /// row number.
  void compare(const frontend::sql::ExpressionPtr& column);

  /// Makes the rows of the SELECT within, and gives the one over them its table. Where that orders
  /// by a column of tensors, it does by their ranks.
  BoundSelect stand_before(BoundSelect over, BoundSelect within);

 private:
  /// The SELECT within over the rows alone that a bound on ranks leaves.
  BoundSelect within_bound(const BoundSelect& over, BoundSelect within) const;
  frontend::sql::ExpressionPtr of_columns(const frontend::sql::Call& call, SourceSpan span);

  Scope scope_;
  QueryCompiler& compiler_;
  std::vector<frontend::sql::Target> targets_;
  std::map<std::string, frontend::sql::ExpressionPtr> columns_;  // by identity
  std::set<std::string> compared_;
};

/// Gives a SELECT over the rows of one within others, which have all columns of these.
void read_from(const RelationPtr& rows, BoundSelect& select);

/// Replaces aggregates that build tensors by columns that have them.
void build_tensors(BoundSelect& select, QueryCompiler& compiler);

}  // namespace tessera::sql
