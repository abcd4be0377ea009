#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sql/tensor_part.h"
#include "store/memory_tensor.h"

namespace tessera::sql {

/// The rows of a tensor as bytes, as they are asked for; of rows that follow each other many are
/// read at once. Numbers that are equal are equal in their bytes: there is one NaN, and 0 for -0.
class RowBytes {
 public:
  /// The source outlives it.
  RowBytes(const store::TileSource& source, const TensorRows& rows);

  /// Valid until the next call.
  std::string_view of(int64_t row);

 private:
  void read(int64_t row, int64_t count);

  const store::TileSource& source_;
  Shape grid_;
  store::MemoryTensor rows_;  // those that were read last
  size_t row_size_;           // in bytes
  int64_t begin_ = 0;         // of these rows
  int64_t end_ = 0;
};

/// Gives equal tensors one number. Threads: one at a time.
class ValueNumbers {
 public:
  /// The rows of a tensor, of one type with all others, which are asked for by the number that this
  /// gives, from 0. The source outlives this.
  size_t add_table(const store::TileSource& source, const TensorRows& rows);
  /// The number of a row's value: how many other values were there before. The first values stay
  /// in memory, up to some MiB; of the others a row is read again if another has the same hash.
  int64_t number_of(size_t table, int64_t row);
  /// The same of a value that was there before; nothing of any other.
  std::optional<int64_t> find(size_t table, int64_t row);

 private:
  /// The first row that had a value: there is one for each value, so it is small.
  struct FirstRow {
    int64_t row;
    uint32_t table;
    uint32_t hash;
  };
  static constexpr int64_t kFree = -1;

  /// The slot that has the number of a value, or the free one for it.
  size_t slot_of(std::string_view bytes, uint32_t hash);
  std::string_view bytes_of(int64_t number, size_t size);
  void grow();

  std::vector<RowBytes> tables_;
  std::vector<RowBytes> known_tables_;  // the same, read where a row may be equal
  std::vector<FirstRow> known_;         // by number
  std::vector<int64_t> slots_;          // numbers by hash; as many as a power of two
  std::string kept_;                    // the bytes of the first values
};

/// For each of these rows the first of them whose tensor is equal.
std::vector<int64_t> equal_rows(const std::vector<int64_t>& rows, const store::TileSource& source,
                                const TensorRows& tensor);

}  // namespace tessera::sql
