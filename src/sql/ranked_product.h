#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sql/key_arithmetic.h"
#include "sql/level.h"
#include "sql/product_numbers.h"
#include "sql/query.h"
#include "sql/top_rows.h"

namespace tessera::sql {

/// A column of one factor of a product.
struct FactorColumn {
  size_t factor;
  std::string column;
};

/// A key that SQLite computes from numbers and from columns of all factors.
struct ComputedKey {
  frontend::sql::ExpressionPtr expression;
};

struct ProductKey {
  std::variant<FactorColumn, KeyArithmetic, ComputedKey> value;  // arithmetic on the numbers
  bool is_descending = false;
  std::optional<bool> nulls_first = std::nullopt;
};

/// A product of key tables whose rows are ranked by a window.
struct RankedProduct {
  std::vector<FactorTable> tables;
  std::vector<std::string> differences;  // conditions that its rows fulfil, in SQLite's words
  std::vector<ProductNumber> numbers;
  std::vector<FactorColumn> partition;
  std::vector<ProductKey> order;
  RankFunction function = RankFunction::row_number;
  int64_t most = 0;
};

/// Rows of a product by their places in it, in ascending order.
struct ProductRows {
  std::vector<int64_t> rows;
  std::vector<std::vector<database::Value>> numbers;  // of each row
};

/// The rows whose ranks are within the bound. Computes the numbers of some million rows at a time.
/// Nothing if they are too many to keep in memory, or if a key is a text.
std::optional<ProductRows> top_rows_of(const RankedProduct& product, Level& level,
                                       QueryCompiler& compiler);

}  // namespace tessera::sql
