#pragma once

#include <map>
#include <memory>
#include <string>

#include "program/runs/reshaped_rows.h"
#include "store/tile_io.h"

namespace tessera::program {

/// A sink of the rows of a result, which lie in a grid: the sink has them in one mode.
struct RowSink {
  store::TileSink* sink = nullptr;
  ArrayType type;  // of the sink
  Shape grid;
};

/// Sinks of results as a program has them, over those that have rows in one mode.
class FlattenedSinks {
 public:
  FlattenedSinks() = default;
  explicit FlattenedSinks(const std::map<std::string, RowSink>& results) {
    for (const auto& [name, result] : results) {
      add(name, *result.sink, result.grid);
    }
  }

  /// The sink outlives it.
  void add(const std::string& name, store::TileSink& sink, const Shape& grid) {
    sinks_[name] = &sink;
    if (grid.size() != 1) {
      flattened_[name] = std::make_unique<FlattenedRows>(sink, grid);
      sinks_[name] = flattened_[name].get();
    }
  }

  const std::map<std::string, store::TileSink*>& sinks() const { return sinks_; }

 private:
  std::map<std::string, std::unique_ptr<FlattenedRows>> flattened_;
  std::map<std::string, store::TileSink*> sinks_;
};

}  // namespace tessera::program
