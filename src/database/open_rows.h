#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "database/recent_rows.h"
#include "database/segment.h"
#include "io/checked_array.h"
#include "store/tile_io.h"

namespace tessera::database {

/// Rows of stored tensors as statements read them, one after the other: small files stay open, and
/// rows that were read from the catalog stay in memory. What is committed is never changed, so they
/// stay true until a transaction is undone.
///
/// Threads: one at a time.
class OpenRows {
 public:
  using Rows = std::shared_ptr<const store::TileSource>;

  /// The rows of a file. Errors: those of open_checked.
  Rows in_file(int64_t file, const io::CheckedArray& array);
  /// Rows of a column that are in the catalog. Errors: those of RecentRows::read.
  Rows recent(const RecentRows& rows, int64_t column, const Segment& segment,
              const ArrayType& element);

  /// Forgets all rows: some of them may be gone.
  void close_all();

 private:
  struct Recent {
    Segment segment;
    Rows rows;
  };

  std::map<int64_t, Rows> files_;     // by number
  std::map<int64_t, Recent> recent_;  // by column
};

}  // namespace tessera::database
