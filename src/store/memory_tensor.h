#pragma once

#include <memory>
#include <vector>

#include "store/tile_io.h"

namespace tessera::store {

/// A tensor in memory that is read and written by tile, for callers with data in memory: the caller
/// owns the bytes, and they count in no budget.
class MemoryTensor : public TileSource, public TileSink {
 public:
  /// Makes a tensor of its own bytes, all 0; dense and row-major.
  explicit MemoryTensor(const ArrayType& type);

  /// Takes the caller's elements, with their strides. REQUIRES a view of a whole tensor (its origin
  /// is 0), whose elements live as long.
  explicit MemoryTensor(TileView elements);

  ArrayType type() const final { return {view_.dtype, view_.shape.to_vector()}; }
  void read(const TileView& into) const override;
  std::optional<TileView> lend(const Box& part) const override;
  void write(const TileView& from) override;
  void commit(Durability) override {}
  bool is_memory() const override { return true; }

  /// Returns the whole tensor.
  const TileView& view() const { return view_; }

 private:
  std::unique_ptr<std::byte[]> owned_;  // null if the elements are the caller's
  TileView view_;
};

}  // namespace tessera::store
