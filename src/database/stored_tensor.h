#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/checked_array.h"
#include "store/tile_io.h"
#include "types/array_type.h"

namespace tessera::database {

/// Consecutive rows of a stored tensor in one file, or in memory.
struct StoredRows {
  int64_t first_row = 0;
  io::CheckedArray file;                          // without a path if they are in memory
  std::shared_ptr<const store::TileSource> rows;  // f64[n,…]
};

/// The tensors of a column; the row is the first mode. Their rows are in consecutive files, oldest
/// first. Threads: as a source.
class StoredTensor : public store::TileSource {
 public:
  /// REQUIRES parts of this type but for their rows, each beginning where the one before ends.
  StoredTensor(ArrayType type, std::vector<StoredRows> parts);

  ArrayType type() const override { return type_; }
  void read(const TileView& into) const override;
  void gather(const TileView& into, size_t mode, std::span<const int64_t> positions) const override;
  void check_unchanged() const override;
  std::string stamp() const override;

  const std::vector<StoredRows>& parts() const { return parts_; }

 private:
  /// Returns the part that has a row.
  const StoredRows& part_of(int64_t row) const;
  void gather_rows(const TileView& into, std::span<const int64_t> rows) const;

  ArrayType type_;
  std::vector<StoredRows> parts_;
};

}  // namespace tessera::database
