#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "kernels/cpu/blocked/accumulator.h"
#include "kernels/cpu/blocked/loop.h"
#include "kernels/cpu/blocked/row_reduction.h"
#include "kernels/cpu/blocked/transfer.h"

namespace tessera::kernels {

/// The addresses of a block's states.
using StateAddresses = std::array<const void*, kMaxStates>;

/// The states of a block for which nothing is computed: elements in memory, or a constant.
/// Reductions of those merge many blocks at a time, because memory waits while one is set up.
class StoredStates {
 public:
  /// `views` are the streams of the program. If the first state is made of one stream, and its
  /// merge takes that stream, the stream stands for it.
  StoredStates(const BlockProgram& program, const BlockMachine& machine, const BlockView* views,
               bool is_first_made = false)
      : program_(program), machine_(machine), views_(views), is_first_made_(is_first_made) {}

  size_t count() const { return program_.results().size(); }
  /// Finds the states of the current block. Returns false if some are not laid out in memory like a
  /// buffer.
  bool find(StateAddresses& states) const noexcept;
  /// True if a state is a constant.
  bool repeats(size_t state) const noexcept;
  /// Returns the bytes from a state's place to its place one position further along a label.
  int64_t step(size_t state, int label) const noexcept;

 private:
  const BlockView* view_of(size_t state) const noexcept;
  const BlockView* view_of_value(int32_t value, bool is_made) const noexcept;

  const BlockProgram& program_;
  const BlockMachine& machine_;
  const BlockView* views_;
  bool is_first_made_;
};

/// Prefetches the first lines of a block that is read soon, into the second cache; folds of columns
/// fetch the rest.
void fetch_start(const void* block) noexcept;

/// Merges all blocks of a started loop, by leaves of the accumulator. REQUIRES
/// accumulator.has_columns(). `look(count)` points the views at the current block;
/// `add_part(count)` merges a shorter one.
template <class Look, class AddPart>
Status accumulate_stored(const StoredStates& stored, BlockLoop& loop, BlockShape& block,
                         int64_t* origins, BlockAccumulator& accumulator, const Look& look,
                         const AddPart& add_part) {
  std::array<std::array<const void*, BlockAccumulator::kLeaf>, kMaxStates> blocks;
  StateAddresses states;
  const int64_t lanes = block.count();
  int64_t gathered = 0;
  Status status = Status::ok;
  const auto add_gathered = [&] {
    status = gathered == 0 ? Status::ok : accumulator.add_blocks(blocks, gathered);
    gathered = 0;
  };
  for (bool goes_on = true; goes_on && status == Status::ok;) {
    const int64_t count = block.count();
    look(count);
    if (count < lanes) {
      add_gathered();
      status = status == Status::ok ? add_part(count) : status;
    } else {
      (void)stored.find(states);
      for (size_t state = 0; state < stored.count(); ++state) {
        blocks[state][static_cast<size_t>(gathered)] = states[state];
        fetch_start(states[state]);
      }
      ++gathered;
    }
    goes_on = loop.advance(block, origins);
    if (status == Status::ok && (gathered == accumulator.room_in_leaf() || !goes_on)) {
      add_gathered();
    }
  }
  return status;
}

/// Folds rows whose elements are contiguous along the last label, and that follow each other along
/// the label `beside`, from the current one on: all blocks of a position of the other reduced
/// labels in one go, row after row, so that memory is walked in order. `look()` points the views at
/// the current block. The order within a row is the same as for one row alone.
template <class Look>
void fold_stored_rows(const StoredStates& stored, const IterationSpace& space, BlockShape& block,
                      int64_t* origins, std::span<RowAccumulator> rows, int beside,
                      const Look& look) {
  StateAddresses states;
  std::array<bool, kMaxStates> repeats;
  for (size_t state = 0; state < stored.count(); ++state) {
    repeats[state] = stored.repeats(state);
  }
  const int64_t length = space.length[static_cast<size_t>(space.num_labels - 1)];
  BlockLoop outer(space, block, space.num_out, space.num_labels - 1);
  outer.start(block);
  do {
    for (RowAccumulator& row : rows) {
      look();
      (void)stored.find(states);
      row.add_row(states.data(), repeats.data(), length);
      move_along(space, beside, 1, origins);
    }
    move_along(space, beside, -std::ssize(rows), origins);
  } while (outer.advance(block, origins));
}

/// Folds `count` rows, as many of them together as there are `rows`: state s of the row n goes to
/// place n of targets[s], of an element's size in the accumulator. Restores the origins.
template <class Look>
void fold_rows_beside(const StoredStates& stored, const IterationSpace& space, BlockShape& block,
                      int64_t* origins, std::span<RowAccumulator> rows, int beside, int64_t count,
                      const Look& look, const std::array<void*, kMaxStates>& targets,
                      const BlockAccumulator& accumulator) {
  std::array<void*, kMaxStates> own;
  for (int64_t first = 0; first < count; first += std::ssize(rows)) {
    const auto together =
        rows.first(static_cast<size_t>(std::min<int64_t>(std::ssize(rows), count - first)));
    for (RowAccumulator& row : together) {
      row.begin();
    }
    fold_stored_rows(stored, space, block, origins, together, beside, look);
    for (int64_t row = 0; row < std::ssize(together); ++row) {
      for (size_t state = 0; state < stored.count(); ++state) {
        own[state] =
            static_cast<std::byte*>(targets[state]) + (first + row) * accumulator.size(state);
      }
      together[static_cast<size_t>(row)].finish(own.data());
    }
    move_along(space, beside, std::ssize(together), origins);
  }
  move_along(space, beside, -count, origins);
}

}  // namespace tessera::kernels
