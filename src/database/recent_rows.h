#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "database/segment.h"
#include "database/sqlite.h"
#include "store/memory_tensor.h"
#include "types/array_type.h"

namespace tessera::database {

/// The last rows of stored tensors, while they are few: in a table of the SQLite file, with one
/// BLOB and its checksum for the rows of each statement. So a small statement is written and
/// committed with the scalars of its rows, and makes no file of its own.
///
/// Threads: those of the connection.
class RecentRows {
 public:
  /// The connection outlives it.
  explicit RecentRows(Connection& connection) : connection_(connection) {}

  /// Returns the rows of a column that are here, as a segment without a file; nothing if there are
  /// none.
  std::optional<Segment> segment(int64_t column) const;
  /// Adds rows of a column, f64[n,…], which follow those that are here.
  void add(int64_t column, int64_t first_row, const store::MemoryTensor& rows);
  /// Returns all rows of a column that are here, of this element. Errors: `resource` if they are
  /// damaged.
  std::shared_ptr<const store::MemoryTensor> read(int64_t column, const ArrayType& element) const;
  void remove(int64_t column);
  /// Returns the checksums of all BLOBs of a column.
  std::vector<int64_t> checksums(int64_t column) const;

 private:
  bool has_table() const;

  Connection& connection_;
};

}  // namespace tessera::database
