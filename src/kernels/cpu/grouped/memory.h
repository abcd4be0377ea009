#pragma once

#include <span>

#include "kernels/cpu/blocked/machine.h"
#include "kernels/cpu/blocked/state_merger.h"
#include "kernels/cpu/grouped/reading.h"
#include "kernels/cpu/walk/position_table.h"

namespace tessera::kernels {

/// A leaf in one call. Units are bytes for an element, positions for an index.
struct RowLeaf {
  const GroupedLeaf* from = nullptr;
  const TileView* view = nullptr;  // null: an index
  int64_t origin = 0;              // the address, or the position, at the beginning of all labels
  std::span<int64_t> steps;        // by label of rows
  int64_t inner_step = 0;
  std::span<int64_t> places;  // by row, behind the first of the block
  std::byte* buffer = nullptr;
  bool is_regular = false;  // the rows follow each other by the step of the label of blocks

  int64_t unit() const { return view == nullptr ? 1 : size_of(view->dtype); }
};

/// The expressions of a stage, or of the values, in one call.
struct RowExpressions {
  BlockMachine* machine = nullptr;
  std::span<RowLeaf> leaves;
  const std::byte* value = nullptr;  // of the first expression, by row; null: `numbers` has it
  PositionTable numbers;             // of a stage that is integers of an operand, as they lie
  Isa isa = Isa::scalar;

  /// Returns the values of a stage of a block, in place.
  PositionTable stored_values() const noexcept {
    PositionTable values = value == nullptr ? numbers : PositionTable{value, DType::i64, 1};
    values.isa = isa;
    return values;
  }
};

/// The working memory of a call of GroupedRows. Without a workspace it only counts bytes.
struct RowMemory {
  static constexpr size_t kStamps = 4096;

  RowMemory(const GroupedProgram& program, std::span<const BlockProgram> programs,
            const BlockReduction& reduction, Isa isa, std::byte* workspace);

  int64_t bytes = 0;
  std::span<RowExpressions> expressions;  // the stages, then the values
  std::span<int64_t> positions;           // by label of rows, of the current block
  std::span<int64_t> result_steps;        // the same, in elements
  std::span<int64_t> group_steps;         // in elements of the results, by group
  std::span<int64_t> offsets;             // of rows, in the results
  std::span<int64_t> selected;            // rows of the block
  std::span<bool> keeps;                  // by row of the block
  std::span<uint16_t> staging;
  BlockMachine* combine = nullptr;
  StateBuffers left{};
  StateBuffers right{};
  std::array<std::span<int64_t>, kMaxStates> dense_places;  // of rows in a block of results
  std::span<uint32_t> stamps;
};

}  // namespace tessera::kernels
