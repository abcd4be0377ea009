#pragma once

#include <memory>
#include <vector>

#include "store/tile_io.h"

namespace tessera::store {

/// A dense tensor in memory that is read and written by tile, for callers whose data are there: its
/// bytes are the caller's and count in no budget.
class MemoryTensor : public TileSource, public TileSink {
 public:
  explicit MemoryTensor(ArrayType type);

  ArrayType type() const override { return type_; }
  void read(const TileView& into) const override;
  void write(const TileView& from) override;
  void commit() override {}

  /// The whole tensor, row-major.
  TileView view() const;

 private:
  ArrayType type_;
  std::unique_ptr<std::byte[]> data_;
};

}  // namespace tessera::store
