#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/sql/array_literal.h"
#include "frontend/sql/syntax.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

/// Rows of VALUES whose tensors are arrays of constants.
class WrittenValues {
 public:
  /// REQUIRES rows of one length. Errors: `user` at an array if one before it in its column has
  /// another shape.
  explicit WrittenValues(frontend::sql::Select query);

  size_t num_columns() const { return columns_.size(); }
  bool has_arrays(size_t column) const { return columns_[column].count > 0; }
  /// The arrays of a column in the order of their rows, f64[n,…], or in i64 or u64 if these
  /// alone hold all of their numbers. REQUIRES has_arrays().
  std::shared_ptr<const store::MemoryTensor> tensor(size_t column) const;
  /// The rows with a number in the place of each array: those of a column are counted from one that
  /// is given for it.
  frontend::sql::SelectPtr numbered(const std::vector<int64_t>& first) const;

 private:
  struct Column {
    int64_t count = 0;
    frontend::sql::ArrayValue all;
  };

  frontend::sql::Select query_;
  std::vector<Column> columns_;
};

}  // namespace tessera::sql
