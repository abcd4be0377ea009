#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/tile_io.h"

namespace tessera::store {

/// The edges of a result: the first and the last positions of every mode, and all of a mode that is
/// no longer than these. They are printed of a large tensor, and are all that a run holds of it.
class EdgeTensor : public TileSink {
 public:
  /// Keeps `edge` positions at either end of every mode, or all where `edge` is none.
  EdgeTensor(ArrayType type, std::optional<int64_t> edge);

  /// Returns the shape of the kept part of a tensor.
  static Shape kept_shape(const Shape& shape, std::optional<int64_t> edge);

  /// The type of the whole tensor, of which only the edges are kept.
  const ArrayType& type() const { return type_; }

  /// Returns the kept elements, row-major: for a mode that is shortened, the first half of the
  /// positions are its first, the others its last.
  TileView kept() const;

  /// Returns the bytes of kept(); unwritten elements are 0.
  std::span<std::byte> kept_bytes() const;

  /// Merges the kept part of another process, which wrote other elements of the same tensor.
  void merge(std::span<const std::byte> kept);

  void write(const TileView& from) override;
  void commit(Durability) override {}
  bool is_memory() const override { return true; }

 private:
  /// An interval of positions that are contiguous in the tensor and here.
  struct Interval {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t kept_at = 0;
  };

  std::vector<Interval> intervals_of(size_t mode) const;
  void copy_edges(const TileView& from, Box part, Box kept_part);

  ArrayType type_;
  std::optional<int64_t> edge_;
  Shape kept_shape_;
  std::unique_ptr<std::byte[]> data_;
};

}  // namespace tessera::store
