#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "kernels/cpu/blocked/accumulator.h"
#include "kernels/cpu/blocked/reduction.h"
#include "kernels/cpu/blocked/row_reduction.h"
#include "kernels/cpu/blocked/stored_states.h"

namespace tessera::kernels {

/// An accumulator of rows of states in place, one lane per column, each state by itself: a
/// BlockAccumulator of blocks of any length, in the same order, that copies nothing and computes
/// nothing. Threads: one.
class ColumnAccumulator {
 public:
  /// Rows that are merged one by one before pairs are.
  static constexpr int64_t kLeaf = BlockAccumulator::kLeaf;
  /// The addresses of rows, for every state.
  using Rows = std::array<std::array<const void*, kMostMergedRows>, kMaxStates>;

  /// Returns bytes of work for at most `width` columns of at most `num_rows` rows.
  static int64_t workspace_bytes(const BlockReduction& reduction, int64_t width, int64_t num_rows);

  /// `memory` is of workspace_bytes(), aligned to 64; `counted` holds the states that are counted.
  /// REQUIRES reduction.columns() of every state.
  void bind(const BlockReduction& reduction, const RowReduction& counted, int64_t width,
            std::byte* memory) noexcept;

  /// The number of rows that processors prefetch by themselves.
  static constexpr int64_t kRowsAtOnce = 8;

  /// Makes add() take rows of the first state's operand, merged by this fold (null: rows of the
  /// state itself). If the merge is not exact in every order (`is_exact`), the next add() takes at
  /// most `at_once` rows.
  void merge_first_by(MergedColumns columns, bool is_exact, int64_t at_once = kRowsAtOnce) noexcept;

  /// Starts `columns` <= width results.
  void begin(int64_t columns) noexcept;

  /// Returns the most rows that the next add() takes.
  int64_t room() const noexcept;

  /// Merges the next rows, from 1 to room().
  void add(const Rows& rows, int64_t num_rows) noexcept;

  /// Writes the results; if `continues`, merged with the present ones. REQUIRES add().
  void finish(void* const* results, bool continues) noexcept;

 private:
  void* level(size_t state, int64_t number) const noexcept;
  void* leaf(size_t state) const noexcept;
  void merge(size_t state, const void* left, const void* right, void* into) const noexcept;
  void push_leaf() noexcept;
  const void* merged(size_t state) const noexcept;

  const BlockReduction* reduction_ = nullptr;
  const RowReduction* counted_ = nullptr;
  MergedColumns first_columns_ = nullptr;
  std::byte* memory_ = nullptr;
  int64_t width_ = 0;
  int64_t level_bytes_ = 0;
  int64_t columns_ = 0;
  bool is_exact_ = false;
  int64_t at_once_ = kRowsAtOnce;
  int64_t num_rows_ = 0;
  bool has_leaf_ = false;  // the leaf has something that is not in a level
  int64_t rows_in_leaf_ = 0;
  uint64_t num_leaves_ = 0;  // full ones; if bit j is set, level j holds a merge of 2^j of them
};

/// Merges all rows of the reduced labels of a space, in memory order. `look()` points the views at
/// the current row.
template <class Look>
void merge_columns(const StoredStates& stored, const IterationSpace& space, BlockShape& block,
                   int64_t* origins, ColumnAccumulator& columns, const Look& look) {
  const bool has_rows = space.num_labels > space.num_out;
  const int along = space.num_labels - 1;
  const int64_t num_rows = has_rows ? space.length[static_cast<size_t>(along)] : 1;
  BlockLoop outer(space, block, space.num_out, has_rows ? along : space.num_out);
  ColumnAccumulator::Rows rows;
  StateAddresses states;
  std::array<int64_t, kMaxStates> steps;
  for (size_t state = 0; state < stored.count(); ++state) {
    steps[state] = has_rows ? stored.step(state, along) : 0;
  }
  outer.start(block);
  do {
    look();
    (void)stored.find(states);
    for (int64_t first = 0; first < num_rows;) {
      const int64_t count = std::min(columns.room(), num_rows - first);
      for (size_t state = 0; state < stored.count(); ++state) {
        const auto* const begin = static_cast<const std::byte*>(states[state]);
        for (int64_t row = 0; row < count; ++row) {
          rows[state][static_cast<size_t>(row)] = begin + (first + row) * steps[state];
        }
      }
      columns.add(rows, count);
      first += count;
    }
  } while (outer.advance(block, origins));
}

}  // namespace tessera::kernels
