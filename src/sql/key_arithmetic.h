#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "database/sqlite.h"
#include "frontend/sql/syntax.h"

namespace tessera::sql {

/// Arithmetic on numbers of a row, with the values that SQLite computes by calls of ours
/// (nan_functions.h), and several times as fast.
class KeyArithmetic {
 public:
  /// Nothing for an expression that is more than these columns, literals and such calls.
  static std::optional<KeyArithmetic> of(const frontend::sql::ExpressionPtr& expression,
                                         const std::vector<std::string>& columns);

  /// The value in a row that has these numbers in the columns, by their places.
  database::Value value(const std::function<database::Value(size_t column)>& number) const {
    return value_of(nodes_.size() - 1, number);
  }

 private:
  struct Column {
    size_t place;
  };
  struct Combined {
    char symbol;
    size_t left, right;  // nodes
  };
  using Node = std::variant<database::Value, Column, Combined>;

  bool add(const frontend::sql::ExpressionPtr& expression, const std::vector<std::string>& columns);
  database::Value value_of(size_t node,
                           const std::function<database::Value(size_t column)>& number) const;

  std::vector<Node> nodes_;  // operands before what combines them
};

}  // namespace tessera::sql
