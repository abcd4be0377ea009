#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/tile_io.h"

namespace tessera::store {

/// The edges of a result: of every mode the first and the last positions, and all of a mode that is
/// no longer than these. Where the tensor is large this is what is printed of it, and all that a
/// run holds of it.
class EdgeTensor : public TileSink {
 public:
  /// Keeps `edge` positions at either end of every mode, or all where `edge` is none.
  EdgeTensor(ArrayType type, std::optional<int64_t> edge);

  /// The shape of what is kept of a tensor.
  static Shape kept_shape(const Shape& shape, std::optional<int64_t> edge);

  /// Of the whole tensor, of which only the edges are here.
  const ArrayType& type() const { return type_; }

  /// What is kept, row-major: of a mode that is longer than it is here, the first half of the
  /// positions are its first, the others its last.
  TileView kept() const;

  /// The bytes of kept(); what was not written is 0.
  std::span<std::byte> kept_bytes() const;

  /// Adds what another process kept of the same tensor, of which the two wrote different elements.
  void merge(std::span<const std::byte> kept);

  void write(const TileView& from) override;
  void commit(Durability) override {}
  bool is_memory() const override { return true; }

 private:
  /// Positions that follow each other in the tensor and here.
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
