#pragma once

#include <cstdint>
#include <span>

#include "expr/gather.h"
#include "kernels/kernel.h"
#include "store/tile_io.h"

namespace tessera::runtime {

/// What a task gathers from a source: the elements that the entries of a table name, and no others.
class SourceGather {
 public:
  /// REQUIRES a program that is a gather in order, with ranges of its labels; both live on.
  SourceGather(const expr::TileProgram& program, std::span<const kernels::LabelRange> ranges);

  /// Fills `gathered`, which is dense, by the table's entries, a block of them at a time. False
  /// where an entry is no position of the source: `read` then says which, and nothing that was
  /// filled counts. Errors: as TileSource::read().
  bool run(const store::TileSource& source, const TileView& table, const TileView& gathered,
           kernels::DataFault& read) const;

 private:
  TileView part_for(const TileView& gathered) const;
  void place_before(const TileView& gathered, int64_t before, TileView& part) const;
  bool look_up(const TileView& table, int64_t first, std::span<int64_t> positions, int64_t extent,
               kernels::DataFault& read) const;

  const expr::TileProgram& program_;
  std::span<const kernels::LabelRange> ranges_;
  expr::Gather gather_;
};

}  // namespace tessera::runtime
