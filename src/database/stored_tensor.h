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

/// Rows of a stored tensor that lie one after the other in one file, or in memory.
struct StoredRows {
  int64_t first_row = 0;
  io::CheckedArray file;                          // without a path where they are in memory
  std::shared_ptr<const store::TileSource> rows;  // f64[n,…]
};

/// The tensors of a column, the row its first mode. Their rows are in files one after the other,
/// oldest first. Threads: as a source.
class StoredTensor : public store::TileSource {
 public:
  /// REQUIRES parts of this type but for their rows, which follow on each other.
  StoredTensor(ArrayType type, std::vector<StoredRows> parts);

  ArrayType type() const override { return type_; }
  void read(const TileView& into) const override;
  void gather(const TileView& into, size_t mode, std::span<const int64_t> positions) const override;
  void check_unchanged() const override;
  std::string stamp() const override;

  const std::vector<StoredRows>& parts() const { return parts_; }

 private:
  /// The part that has a row.
  const StoredRows& part_of(int64_t row) const;
  void gather_rows(const TileView& into, std::span<const int64_t> rows) const;

  ArrayType type_;
  std::vector<StoredRows> parts_;
};

}  // namespace tessera::database
