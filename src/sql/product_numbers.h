#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sql/kept_rows.h"
#include "sql/level.h"
#include "sql/numbers_in_order.h"
#include "sql/query.h"

namespace tessera::sql {

/// A key table of a product.
struct FactorTable {
  RelationPtr table;
  std::set<std::string> columns;  // that the level knows
  int64_t num_rows = 0;
};

/// A number that tensors make for each row of a product of some tables.
struct ProductNumber {
  Level::ComputedColumn computed;  // without guards
  std::vector<size_t> tables;      // by their places, in ascending order
};

/// Numbers that tensors make for the rows of a product of key tables, which is never a table
/// itself. Many numbers are in a file.
class ProductNumbers {
 public:
  /// Computes the numbers. Errors: those of a run.
  ProductNumbers(const std::vector<FactorTable>& tables, Level& level,
                 const std::vector<ProductNumber>& numbers, QueryCompiler& compiler);

  /// A number for these rows of all tables, one of each. Fast in the order of the product.
  database::Value at(size_t number, std::span<const int64_t> rows);
  /// Returns the number of the row with this place in the product of the number's own tables.
  database::Value at_place(size_t number, int64_t place);

 private:
  /// The rows of a table that have a number.
  struct Rows {
    size_t table;
    int64_t num_rows;  // of the table
    KeptRows kept;
  };
  struct Computed {
    std::string tensor;  // in the program; empty if no row has a number
    std::vector<Rows> rows;
    std::optional<NumbersInOrder> numbers;
  };

  Computed add(const std::vector<FactorTable>& tables, Level& level, const ProductNumber& number,
               QueryCompiler& compiler);
  void run(QueryCompiler& compiler);

  std::vector<Computed> computed_;
};

}  // namespace tessera::sql
