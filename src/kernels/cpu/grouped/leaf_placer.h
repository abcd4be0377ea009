#pragma once

#include "kernels/cpu/grouped/memory.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// No label of rows.
constexpr size_t kNoLabel = static_cast<size_t>(-1);

/// The need for the places of a leaf's rows.
enum class Places : uint8_t {
  all,
  if_apart,     // none if all rows are contiguous
  if_gathered,  // none if rows follow each other by a step
};

/// A search for the places of leaves in the rows of a block, behind its first row.
class LeafPlacer {
 public:
  /// `along` is the label of rows that blocks run along.
  LeafPlacer(const GroupedProgram& program, const KernelCall& call, RowMemory& memory, size_t along)
      : program_(program), call_(call), memory_(memory), along_(along) {}

  /// Returns the step between rows of a block, in the leaf's unit.
  int64_t step_of(const RowLeaf& leaf) const noexcept {
    return along_ == kNoLabel ? 0 : leaf.steps[along_];
  }

  /// Places the selected rows of a block (null: all), if that is needed. Fails with out_of_range,
  /// and tells the call the position.
  Status place(RowLeaf& leaf, const int64_t* selected, int64_t count, Places need) noexcept;

 private:
  /// The rows of a block: by row, where a stage has its value, and its number in the block.
  struct StagedRows {
    const int64_t* values = nullptr;    // null: in order
    const int64_t* selected = nullptr;  // null: all
    int64_t count = 0;
  };

  void place_by_step(RowLeaf& leaf, const int64_t* selected, int64_t count) const noexcept;
  PositionTable positions_of(const RowLeaf& leaf, size_t mode, size_t stage) const noexcept;
  Status gather_first(RowLeaf& leaf, size_t mode, size_t stage, int64_t count) noexcept;
  Status gather(RowLeaf& leaf, size_t mode, size_t stage, const int64_t* selected,
                int64_t count) noexcept;
  int64_t value_of(size_t stage, int64_t row) const noexcept;
  void note_outside(const RowLeaf& leaf, size_t mode, size_t stage,
                    const StagedRows& rows) const noexcept;

  const GroupedProgram& program_;
  const KernelCall& call_;
  RowMemory& memory_;
  size_t along_;
};

}  // namespace tessera::kernels
