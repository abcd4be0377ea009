#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/cpu/staged/gather_rows.h"
#include "kernels/cpu/staged/staged_plan.h"

namespace tessera::kernels {

/// The elements of a dense array, in its order, with the place that each is read from: an operand,
/// some of whose modes are read at positions in tables.
///
/// Element p of the array is `from` bytes and, for each dimension d, p[d] * step[d] behind the
/// operand's first; in addition each table gives a position by its element p[d] * table_step[d].
class GatherSpace {
 public:
  /// `copy` is the array. REQUIRES a table for each gathered mode, all over the same views.
  GatherSpace(const Gathered& gathered, const TileView& operand, std::span<const TileView> views,
              std::span<const LabelRange> ranges, const TileView& copy) noexcept;

  /// Fills the array. Returns the number of the element up to which it is filled: all, or fewer if
  /// a position outside of its mode without a boundary comes soon after.
  int64_t fill() noexcept;

  /// Calls `visit(rows)` with runs of elements, each a row, in the array's order until it returns
  /// false. Writes nothing, so the array needs no memory.
  template <class Visit>
  void visit_elements(Visit visit) noexcept {
    simplify();
    take_run();
    do {
      TableViews tables;
      if (!visit(rows_here(tables))) {
        return;
      }
    } while (advance());
  }

 private:
  using TableViews = std::array<PositionTable, kMostGatheredModes>;

  void add_mode(const Gathered& gathered, const expr::Index& index, int64_t stride, int64_t origin,
                std::span<const LabelRange> ranges, std::array<int64_t, kMostModes>& steps,
                int64_t& first) const noexcept;
  void simplify() noexcept;
  bool goes_on(size_t dim) const noexcept;
  void take_row() noexcept;
  void take_run() noexcept;
  GatheredRows rows_here(TableViews& tables) const noexcept;
  bool advance() noexcept;

  TableViews tables_;
  std::array<std::array<int64_t, kMostModes>, kMostGatheredModes> table_steps_;  // elements
  size_t num_tables_ = 0;
  std::array<int64_t, kMostModes> length_;
  std::array<int64_t, kMostModes> step_;  // bytes
  std::array<int64_t, kMostModes> at_{};  // position along the dimensions around rows
  size_t num_dims_ = 0;
  GatheredRows rows_;
  int64_t from_ = 0;  // bytes
};

}  // namespace tessera::kernels
