#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sql/tensor_part.h"
#include "store/tile_io.h"

namespace tessera::sql {

/// Tensors of one shape that come one after the other, nobody knows how many, as the rows of one:
/// in memory while they are few, then in files without names. Threads: one at a time.
class AppendedRows {
 public:
  /// The dtype has 64 bits. The program outlives it.
  AppendedRows(const TensorProgram& program, DType dtype, Shape shape);

  const Shape& shape() const { return shape_; }
  /// The number of the new row, whose numbers are given as bits. REQUIRES as many as a row has.
  int64_t add(const std::vector<uint64_t>& bits);
  /// All rows, as a tensor with one more first mode. REQUIRES that there are rows, and that none is
  /// added any more.
  std::shared_ptr<const store::TileSource> finish();

 private:
  void write_block();
  ArrayType rows_of(int64_t num_rows) const;

  const TensorProgram& program_;
  DType dtype_;
  Shape shape_;
  int64_t rows_of_file_;
  std::vector<program::KeptFile> files_;
  std::vector<uint64_t> block_;  // rows that are not written
  int64_t num_rows_ = 0;
  int64_t num_written_ = 0;
};

}  // namespace tessera::sql
