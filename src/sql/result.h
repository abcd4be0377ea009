#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "database/sqlite.h"
#include "sql/relation.h"
#include "store/memory_tensor.h"
#include "store/tile_io.h"

namespace tessera::sql {

struct ResultColumn {
  std::string name;
  std::string key;                  // no two columns have the same
  std::optional<ArrayType> tensor;  // of each row, where the column is one of tensors
  std::optional<database::ScalarType> scalar = std::nullopt;  // else, where that is known
};

/// The rows that a query gave, one after the other. Threads: one at a time.
class ResultRows {
 public:
  /// `tensors` are by column, one for each row where it is not NULL.
  ResultRows(RowQuery query, std::map<size_t, std::shared_ptr<const store::TileSource>> tensors);

  const std::vector<ResultColumn>& columns() const { return columns_; }
  /// Goes to the next row; false behind the last.
  bool next();
  bool is_null(size_t column) const;
  /// REQUIRES a column of scalars.
  database::Value value(size_t column) const;
  /// The tensor of this row, dense. REQUIRES a column of tensors, and that it is not NULL.
  store::MemoryTensor tensor(size_t column) const;

 private:
  bool has_next();

  RowQuery query_;
  int64_t row_ = -1;  // of those in memory
  std::map<size_t, std::shared_ptr<const store::TileSource>> tensors_;
  std::vector<ResultColumn> columns_;
  std::vector<int64_t> places_;  // of this row's tensors in their columns
};

/// The rows of a relation, in their order.
RowQuery rows_of(database::Connection& connection, RelationPtr relation);

/// What a statement did: rows, or in a word ("INSERT 0 3", as PostgreSQL says it).
struct StatementResult {
  std::optional<ResultRows> rows;
  std::string tag;
  std::string text;  // of EXPLAIN
};

}  // namespace tessera::sql
