#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "sql/scalar_value.h"
#include "store/memory_tensor.h"
#include "store/tile_io.h"

namespace tessera::sql {

/// A vector whose numbers are read from its first place on, a block at a time. Threads: one at a
/// time.
class NumbersInOrder {
 public:
  explicit NumbersInOrder(std::shared_ptr<const store::TileSource> numbers)
      : numbers_(std::move(numbers)), block_({numbers_->type().dtype, {kRows}}) {}

  database::Value at(int64_t place) {
    if (place < begin_ || place >= begin_ + kRows || begin_ < 0) {
      begin_ = place;
      const Box part{{place}, {std::min(kRows, numbers_->type().shape[0] - place)}};
      numbers_->read(dense_view(block_.view().data, block_.view().dtype, part));
    }
    return scalar_value(block_.view(), place - begin_);
  }

 private:
  static constexpr int64_t kRows = 4096;

  std::shared_ptr<const store::TileSource> numbers_;
  store::MemoryTensor block_;
  int64_t begin_ = -1;  // of the rows in the block; negative before the first
};

}  // namespace tessera::sql
