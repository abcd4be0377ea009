#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "store/tile_io.h"

namespace tessera::program {

/// Calls `visit` with the parts of a view of rows that lie in a grid, each a run of rows in one
/// mode, by their numbers.
void for_each_run(const TileView& view, const Shape& grid,
                  const std::function<void(const TileView&)>& visit);

/// A sink of rows that are computed as a grid, over a sink that has them in one mode. Threads: as
/// the sink's.
class FlattenedRows : public store::TileSink {
 public:
  /// The sink outlives it.
  FlattenedRows(store::TileSink& rows, Shape grid) : rows_(rows), grid_(std::move(grid)) {}

  void write(const TileView& from) override {
    for_each_run(from, grid_, [this](const TileView& run) { rows_.write(run); });
  }
  void commit(store::Durability durability) override { rows_.commit(durability); }

 private:
  store::TileSink& rows_;
  Shape grid_;
};

/// A tensor as the one row of a column: f64[2,3] as f64[1,2,3]. Threads: as the tensor's.
class OneRow : public store::TileSource {
 public:
  explicit OneRow(std::shared_ptr<const store::TileSource> tensor) : tensor_(std::move(tensor)) {}

  ArrayType type() const override;
  void read(const TileView& into) const override;
  void check_unchanged() const override { tensor_->check_unchanged(); }
  std::string stamp() const override { return tensor_->stamp(); }

 private:
  std::shared_ptr<const store::TileSource> tensor_;
};

/// The rows of a tensor as a grid of another shape: f64[6,…] as f64[2,3,…]. Threads: as the
/// tensor's.
class ReshapedRows : public store::TileSource {
 public:
  /// `type` begins with so many modes of rows; REQUIRES as many rows as the tensor has in its first
  /// mode.
  ReshapedRows(std::shared_ptr<const store::TileSource> rows, ArrayType type,
               size_t num_grid_modes);

  ArrayType type() const override { return type_; }
  void read(const TileView& into) const override;
  void check_unchanged() const override { rows_->check_unchanged(); }
  std::string stamp() const override { return rows_->stamp(); }

  const std::shared_ptr<const store::TileSource>& rows() const { return rows_; }
  size_t num_grid_modes() const { return num_grid_modes_; }

 private:
  std::shared_ptr<const store::TileSource> rows_;
  ArrayType type_;
  size_t num_grid_modes_;
};

}  // namespace tessera::program
