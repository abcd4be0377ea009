#include "kernels/cpu/blocked/row_reduction.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "expr/function_ids.h"
#include "expr/logsumexp.h"
#include "kernels/cpu/walk/state_function.h"
#include "types/literal.h"

namespace tessera::kernels {

namespace {

RowFold find_fold(const std::optional<std::string>& merge, DType type, Isa isa) {
  for (const FoldEntry& entry : fold_entries(isa)) {
    if (entry.type == type && merge == entry.merge) {
      return entry.fold;
    }
  }
  return nullptr;
}

decltype(LogSumExpFold::fold) find_logsumexp(const expr::Monoid& monoid, Isa isa) {
  const std::span<const LogSumExpFold> folds = logsumexp_folds(isa);
  const auto found = std::find_if(folds.begin(), folds.end(), [&](const LogSumExpFold& fold) {
    return fold.type == monoid.state[0];
  });
  return found != folds.end() && expr::is_logsumexp(monoid) ? found->fold : nullptr;
}

/// Counts levels of kBlock partial states; the last takes the result of the one before.
int64_t num_levels(int64_t num_blocks) {
  int64_t levels = 2;
  for (; num_blocks > kBlock; num_blocks = (num_blocks + kBlock - 1) / kBlock) {
    ++levels;
  }
  return levels;
}

}  // namespace

RowReduction::RowReduction(const expr::Monoid& monoid, Isa isa)
    : num_states_(monoid.state.size()), logsumexp_(find_logsumexp(monoid, isa)) {
  for (size_t number = 0; number < num_states_; ++number) {
    const DType type = compute_type(monoid.state[number]);
    State state{
        is_logsumexp() ? nullptr : find_fold(merging_function_of(monoid, number), type, isa),
        size_of(type),
        level_bytes_,
        {},
        {}};
    if (state.fold == nullptr && !is_logsumexp()) {
      return;
    }
    fill_literal(monoid.identity[number], type, state.identity.data(), 1);
    level_bytes_ += kBlock * state.size;
    states_.push_back(state);
  }
}

namespace {

/// True if a state of an element is the constant 1.
bool is_one(const BlockProgram& lifted, size_t state) {
  const auto value = static_cast<size_t>(lifted.results()[state]);
  const auto* constant = std::get_if<BlockProgram::FromConstant>(&lifted.values()[value].from);
  return constant != nullptr && literal_as<double>(constant->value) == 1;
}

}  // namespace

void RowReduction::count_constants(const expr::Monoid& monoid, const BlockProgram& lifted) {
  if (is_logsumexp() && !is_one(lifted, 1)) {
    states_.clear();
    logsumexp_ = nullptr;
  }
  for (size_t number = 0; number < states_.size(); ++number) {
    const auto value = static_cast<size_t>(lifted.results()[number]);
    const auto* constant = std::get_if<BlockProgram::FromConstant>(&lifted.values()[value].from);
    if (constant != nullptr) {
      (void)count(monoid, number, constant->value);
    }
  }
}

bool RowReduction::count(const expr::Monoid& monoid, size_t state, const Literal& constant) {
  if (monoid.state[state] != DType::i64 || merging_function_of(monoid, state) != expr::id::kAdd) {
    return false;
  }
  states_[state].summand = literal_as<int64_t>(constant);
  return true;
}

int64_t RowReduction::workspace_bytes(int64_t num_blocks) const {
  return num_levels(num_blocks) * level_bytes_;
}

void RowAccumulator::bind(const RowReduction& reduction, std::byte* memory) noexcept {
  reduction_ = &reduction;
  levels_ = memory;
}

void RowAccumulator::fold(const void* const* states, int64_t rows, int64_t length,
                          void* const* results) noexcept {
  fold_states(Folded::elements, states, rows, length, results);
  for (size_t number = 0; number < reduction_->num_states_; ++number) {
    if (reduction_->states_[number].summand) {
      write_counts(reduction_->states_[number], rows, length, results[number]);
    }
  }
}

void RowAccumulator::fold_states(Folded what, const void* const* states, int64_t rows,
                                 int64_t length, void* const* results) const noexcept {
  if (reduction_->is_logsumexp()) {
    const void* const sums = what == Folded::elements ? nullptr : states[1];
    return reduction_->logsumexp_(states[0], sums, rows, length, results[0], results[1]);
  }
  for (size_t number = 0; number < reduction_->num_states_; ++number) {
    const RowReduction::State& state = reduction_->states_[number];
    if (!state.summand) {
      state.fold(states[number], rows, length, state.identity.data(), results[number]);
    }
  }
}

/// Writes the counts of rows of `length` elements each; integers wrap.
void RowAccumulator::write_counts(const RowReduction::State& state, int64_t rows, int64_t length,
                                  void* results) noexcept {
  const uint64_t sum = static_cast<uint64_t>(*state.summand) * static_cast<uint64_t>(length);
  std::fill_n(static_cast<int64_t*>(results), rows, static_cast<int64_t>(sum));
}

std::byte* RowAccumulator::next(size_t level, size_t state) const noexcept {
  const RowReduction::State& of = reduction_->states_[state];
  return levels_ + static_cast<int64_t>(level) * reduction_->level_bytes_ + of.offset +
         used_[level] * of.size;
}

std::array<void*, kMaxStates> RowAccumulator::next_of(size_t level) const noexcept {
  std::array<void*, kMaxStates> states;
  for (size_t number = 0; number < reduction_->num_states_; ++number) {
    states[number] = next(level, number);
  }
  return states;
}

void RowAccumulator::add(const void* const* states, int64_t length) noexcept {
  fold_states(Folded::elements, states, 1, length, next_of(0).data());
  num_elements_ += length;
  ++used_[0];
  fold_full_levels();
}

void RowAccumulator::fold_full_levels() noexcept {
  for (size_t level = 0; used_[level] == kBlock; ++level) {
    fold_level(level);
  }
}

void RowAccumulator::add_row(const void* const* states, const bool* repeats,
                             int64_t length) noexcept {
  std::array<const void*, kMaxStates> next_states;
  for (int64_t done = 0; done < length;) {
    const int64_t blocks = std::min((length - done) / kBlock, kBlock - used_[0]);
    for (size_t number = 0; number < reduction_->num_states_; ++number) {
      const int64_t passed = repeats[number] ? 0 : done * reduction_->states_[number].size;
      next_states[number] = static_cast<const std::byte*>(states[number]) + passed;
    }
    if (blocks == 0) {
      return add(next_states.data(), length - done);
    }
    add_blocks(next_states.data(), repeats, blocks);
    done += blocks * kBlock;
  }
}

void RowAccumulator::add_merged(const void* stored, int64_t count) noexcept {
  if (count >= kBlock) {
    return add_folded(stored, count / kBlock);
  }
  const RowReduction::State& first = reduction_->states_[0];
  const int64_t lanes = count < kFoldLanes ? count : kFoldLanes + count % kFoldLanes;
  first.fold(stored, 1, lanes, first.identity.data(), next(0, 0));
  num_elements_ += count;
  ++used_[0];
  fold_full_levels();
}

/// Adds the states of the next blocks, already merged.
void RowAccumulator::add_folded(const void* partial, int64_t num_blocks) noexcept {
  const int64_t size = reduction_->states_[0].size;
  for (int64_t done = 0; done < num_blocks;) {
    const int64_t count = std::min(num_blocks - done, kBlock - used_[0]);
    std::memcpy(next(0, 0), static_cast<const std::byte*>(partial) + done * size,
                static_cast<size_t>(count * size));
    num_elements_ += count * kBlock;
    used_[0] += count;
    done += count;
    fold_full_levels();
  }
}

/// Folds blocks of kBlock elements, as many as the lowest level has room for. Repeating blocks are
/// folded once.
void RowAccumulator::add_blocks(const void* const* states, const bool* repeats,
                                int64_t num_blocks) noexcept {
  const std::array<void*, kMaxStates> partial = next_of(0);
  if (reduction_->is_logsumexp()) {
    const int64_t folded = repeats[0] ? 1 : num_blocks;
    fold_states(Folded::elements, states, folded, kBlock, partial.data());
    repeat_state(0, partial[0], folded, num_blocks);
    repeat_state(1, partial[1], folded, num_blocks);
  }
  for (size_t number = 0; number < reduction_->num_states_ && !reduction_->is_logsumexp();
       ++number) {
    const RowReduction::State& state = reduction_->states_[number];
    if (state.summand) {
      continue;
    }
    const int64_t folded = repeats[number] ? 1 : num_blocks;
    state.fold(states[number], folded, kBlock, state.identity.data(), partial[number]);
    repeat_state(number, partial[number], folded, num_blocks);
  }
  num_elements_ += num_blocks * kBlock;
  used_[0] += num_blocks;
  fold_full_levels();
}

/// Copies the first of some states to those from `first` on.
void RowAccumulator::repeat_state(size_t state, void* states, int64_t first,
                                  int64_t count) const noexcept {
  const int64_t size = reduction_->states_[state].size;
  for (int64_t block = first; block < count; ++block) {
    std::memcpy(static_cast<std::byte*>(states) + block * size, states, static_cast<size_t>(size));
  }
}

void RowAccumulator::fold_level(size_t level) noexcept {
  const int64_t count = used_[level];
  used_[level] = 0;
  const std::array<void*, kMaxStates> states = next_of(level);
  fold_states(Folded::states, states.data(), 1, count, next_of(level + 1).data());
  ++used_[level + 1];
}

void RowAccumulator::finish(void* const* results) noexcept {
  size_t level = 0;
  const auto is_last = [&] {
    return std::all_of(used_.begin() + static_cast<std::ptrdiff_t>(level) + 1, used_.end(),
                       [](int64_t states) { return states == 0; });
  };
  for (; used_[level] > 1 || !is_last(); ++level) {
    if (used_[level] > 0) {
      fold_level(level);
    }
  }
  const bool is_empty = used_[level] == 0;
  used_[level] = 0;
  for (size_t number = 0; number < reduction_->num_states_; ++number) {
    const RowReduction::State& state = reduction_->states_[number];
    if (state.summand) {
      write_counts(state, 1, num_elements_, results[number]);
      continue;
    }
    std::memcpy(results[number], is_empty ? state.identity.data() : next(level, number),
                static_cast<size_t>(state.size));
  }
}

}  // namespace tessera::kernels
