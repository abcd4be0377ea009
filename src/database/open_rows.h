#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "database/recent_rows.h"
#include "database/segment.h"
#include "io/checked_array.h"
#include "store/tile_io.h"

namespace tessera::database {

/// A cache of the rows of stored tensors that statements read: small files stay open, and rows from
/// the catalog stay in memory. Committed rows never change, so the cache stays valid until a
/// transaction is undone.
///
/// Threads: one at a time.
class OpenRows {
 public:
  using Rows = std::shared_ptr<const store::TileSource>;

  /// Returns the rows of a file. Errors: those of open_checked.
  Rows in_file(int64_t file, const io::CheckedArray& array);
  /// Returns rows of a column from the catalog. Errors: those of RecentRows::read.
  Rows recent(const RecentRows& rows, int64_t column, const Segment& segment,
              const ArrayType& element);

  /// Forgets all rows, because some may be gone.
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
