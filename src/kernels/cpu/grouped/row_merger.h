#pragma once

#include <span>
#include <vector>

#include "expr/monoid.h"
#include "kernels/cpu/grouped/leaves.h"
#include "kernels/cpu/grouped/merging.h"

namespace tessera::kernels {

/// A merger of boxes of values into the results of a call, row after row. Threads: one.
class RowMerger {
 public:
  /// `merges` are those of the monoid; if there are none, its program in `memory` merges.
  RowMerger(const expr::Monoid& monoid, const std::vector<MergeRows>& merges, RowMemory& memory,
            std::span<const TileView> outputs);

  /// Sets the elements between neighbouring positions of the inner label in a result.
  void set_step(int64_t step) { step_ = step; }

  /// `values` has the states of the box; the memory's offsets give the places of its rows.
  Status merge(const RowBox& box, const BlockMachine& values) noexcept;

 private:
  void merge_entries(const RowBox& box, const BlockMachine& values) noexcept;
  Status combine(const RowBox& box, const BlockMachine& values) noexcept;
  Status combine_distinct(const RowBox& box, const BlockMachine& values, int64_t begin,
                          int64_t end) noexcept;
  void move_results(const RowBox& box, int64_t begin, int64_t end, size_t entry, std::byte* dense,
                    bool to_dense) noexcept;
  int64_t offset_of(const RowBox& box, int64_t row) const;
  std::byte* results_at(size_t entry, int64_t offset) const;

  const expr::Monoid& monoid_;
  const std::vector<MergeRows>& merges_;
  RowMemory& memory_;
  std::span<const TileView> outputs_;
  int64_t step_ = 1;
  int64_t dense_length_ = 0;  // of the memory's dense places
  uint32_t stamp_ = 0;
};

}  // namespace tessera::kernels
