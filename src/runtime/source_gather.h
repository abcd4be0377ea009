#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/table_gather.h"
#include "kernels/kernel.h"
#include "store/tile_io.h"

namespace tessera::runtime {

/// A task's gather from a source: the elements that the entries of tables name, and no others.
class SourceGather {
 public:
  /// REQUIRES a program that is a gather by tables, with ranges of its labels; both live on.
  SourceGather(const expr::TileProgram& program, std::span<const kernels::LabelRange> ranges);

  /// Fills `gathered`, which is dense, by the tables' entries, a block of them at a time. Returns
  /// false if an entry is no position of the source: `read` then names it, and the filled elements
  /// are void. Errors: those of TileSource::read().
  bool run(const store::TileSource& source, std::span<const TileView> tables,
           const TileView& gathered, kernels::DataFault& read) const;

 private:
  /// The positions of a block of entries, by the gathered modes.
  using Positions = std::vector<std::vector<int64_t>>;

  size_t last_mode() const { return gather_.modes.back().mode; }
  TileView part_for(const TileView& gathered) const;
  void place_before(const TileView& gathered, int64_t before, TileView& part) const;
  bool look_up(std::span<const TileView> tables, int64_t first, const Shape& extents,
               Positions& positions, kernels::DataFault& read) const;
  void copy(const store::TileSource& source, const Positions& positions, TileView& part) const;

  const expr::TileProgram& program_;
  std::span<const kernels::LabelRange> ranges_;
  expr::TableGather gather_;
  std::vector<std::optional<size_t>> mode_of_result_;  // by mode of the source
};

}  // namespace tessera::runtime
