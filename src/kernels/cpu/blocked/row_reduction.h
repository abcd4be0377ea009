#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "expr/monoid.h"
#include "kernels/cpu/blocked/reduction.h"
#include "kernels/isa/fold_table.h"

namespace tessera::kernels {

/// A monoid whose states are each merged by themselves, with functions that have folds
/// (fold_table.h), or logsumexp of elements with a share of 1 each: a row of elements becomes one
/// state without leaving the registers.
///
/// The order of a row in several blocks depends only on their number and lengths: every block is
/// folded to one partial state; every kBlock of those, and at the end the rest, are folded like a
/// row of elements, and so on until one is left. The error of a sum of n terms so grows with
/// log(n): by 22 roundings for a factor of 1024.
class RowReduction {
 public:
  RowReduction(const expr::Monoid& monoid, Isa isa);

  /// Multiplies instead of reading rows if a state of an element, given by `lifted`, is a constant
  /// integer that is summed, like the count of a mean. Drops the fold of logsumexp if the elements
  /// have other shares than 1.
  void count_constants(const expr::Monoid& monoid, const BlockProgram& lifted);

  /// Counts one state whose element is a constant. Returns false if the state is no integer sum.
  bool count(const expr::Monoid& monoid, size_t state, const Literal& constant);

  /// Returns the constant that count_constants() found for a state.
  std::optional<int64_t> summand(size_t state) const {
    return state < states_.size() ? states_[state].summand : std::nullopt;
  }

  /// True if all states but the first are counted.
  bool counts_all_but_first() const {
    return std::all_of(states_.begin() + 1, states_.end(),
                       [](const State& state) { return state.summand.has_value(); });
  }

  /// True if all states are merged together.
  bool is_logsumexp() const { return logsumexp_ != nullptr; }

  /// True if every state has a fold; REQUIRED for all but count_constants().
  bool has_folds() const { return states_.size() == num_states_; }

  /// Returns bytes of work for a row of at most `num_blocks` blocks.
  int64_t workspace_bytes(int64_t num_blocks) const;

 private:
  friend class RowAccumulator;
  struct State {
    RowFold fold;                        // null of logsumexp
    int64_t size;                        // bytes of an element
    int64_t offset;                      // bytes from the start of a level
    std::array<std::byte, 16> identity;  // one element
    std::optional<int64_t> summand;      // of every element of a row
  };
  using LogSumExp = decltype(LogSumExpFold::fold);

  size_t num_states_;
  LogSumExp logsumexp_ = nullptr;
  std::vector<State> states_;
  int64_t level_bytes_ = 0;  // of kBlock partial states
};

/// Reductions in progress, one after the other. Threads: one.
class RowAccumulator {
 public:
  /// `memory` is of reduction.workspace_bytes(), aligned to 64.
  void bind(const RowReduction& reduction, std::byte* memory) noexcept;

  /// Folds whole rows: results[s] takes the states s of all rows. `states` has one dense array per
  /// state, rows * length long.
  void fold(const void* const* states, int64_t rows, int64_t length, void* const* results) noexcept;

  /// Starts one row in several blocks.
  void begin() noexcept {
    used_.fill(0);
    num_elements_ = 0;
  }
  /// Merges its next block.
  void add(const void* const* states, int64_t length) noexcept;
  /// Merges its next `count` elements, whole blocks or less than one, whose first state was merged
  /// in registers to the form of generated/interface.h. The other states are constants that are
  /// counted.
  void add_merged(const void* stored, int64_t count) noexcept;
  /// Merges `length` contiguous elements, as blocks of kBlock each and a rest; a state that
  /// `repeats` is an array of kBlock equal elements.
  void add_row(const void* const* states, const bool* repeats, int64_t length) noexcept;
  /// Returns its state, the identity if there was no block.
  void finish(void* const* results) noexcept;

 private:
  static constexpr size_t kMaxLevels = 8;  // for more than 2^63 blocks
  /// The contents of an array of states: elements, or states that rows were merged to.
  enum class Folded : uint8_t { elements, states };
  /// Folds rows of all states that are not counted.
  void fold_states(Folded what, const void* const* states, int64_t rows, int64_t length,
                   void* const* results) const noexcept;
  std::array<void*, kMaxStates> next_of(size_t level) const noexcept;
  /// Returns the place of the next partial state of a level. Level k holds states of kBlock^k
  /// blocks.
  std::byte* next(size_t level, size_t state) const noexcept;
  void fold_level(size_t level) noexcept;
  void fold_full_levels() noexcept;
  void add_blocks(const void* const* states, const bool* repeats, int64_t num_blocks) noexcept;
  void repeat_state(size_t state, void* states, int64_t first, int64_t count) const noexcept;
  void add_folded(const void* partial, int64_t num_blocks) noexcept;
  static void write_counts(const RowReduction::State& state, int64_t rows, int64_t length,
                           void* results) noexcept;

  const RowReduction* reduction_ = nullptr;
  std::byte* levels_ = nullptr;
  std::array<int64_t, kMaxLevels> used_;  // states in a level
  int64_t num_elements_ = 0;              // of the row, for counted states
};

}  // namespace tessera::kernels
