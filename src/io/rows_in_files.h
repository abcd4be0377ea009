#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/checked_array.h"
#include "store/tile_io.h"
#include "types/array_type.h"

namespace tessera::io {

/// Rows of a tensor that lie one after the other in one file, or in memory.
struct FileRows {
  int64_t first_row = 0;
  CheckedArray file;                              // without a path where they are in memory
  std::shared_ptr<const store::TileSource> rows;  // f64[n,…]
};

/// A tensor whose rows, its first mode, are in files one after the other. Threads: as a source.
class RowsInFiles : public store::TileSource {
 public:
  /// REQUIRES parts of this type but for their rows, each of which begins where the last ends.
  RowsInFiles(ArrayType type, std::vector<FileRows> parts);

  ArrayType type() const override { return type_; }
  void read(const TileView& into) const override;
  void gather(const TileView& into, size_t mode, std::span<const int64_t> positions) const override;
  void check_unchanged() const override;
  std::string stamp() const override;

  const std::vector<FileRows>& parts() const { return parts_; }

 private:
  /// Returns the part that has a row.
  const FileRows& part_of(int64_t row) const;
  void gather_rows(const TileView& into, std::span<const int64_t> rows) const;

  ArrayType type_;
  std::vector<FileRows> parts_;
};

}  // namespace tessera::io
