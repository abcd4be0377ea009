#include "kernels/cpu/blocked/state_merger.h"

#include <bit>
#include <cstring>

#include "kernels/workspace.h"

namespace tessera::kernels {

int64_t StateMerger::workspace_bytes(const BlockReduction& reduction, int64_t width,
                                     int64_t num_leaves) {
  const auto num_levels = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(num_leaves)));
  int64_t bytes = reduction.program().buffer_bytes();
  for (const DType dtype : reduction.monoid().state) {
    const int64_t size = size_of(compute_type(dtype));
    bytes += 2 * kBlock * size + num_levels * aligned_bytes(width * size);
  }
  return bytes;
}

void StateMerger::bind(const BlockReduction& reduction, int64_t width, std::byte* memory,
                       StateBuffers& state, StateBuffers& shifted) noexcept {
  static constexpr bool kNoStreams[1] = {};
  machine_.bind(reduction.program(), kNoStreams, memory);
  memory += reduction.program().buffer_bytes();
  num_states_ = reduction.monoid().state.size();
  width_ = width;
  level_bytes_ = 0;
  for (size_t number = 0; number < num_states_; ++number) {
    size_[number] = size_of(compute_type(reduction.monoid().state[number]));
    state[number] = memory;
    shifted[number] = memory + kBlock * size_[number];
    memory += 2 * kBlock * size_[number];
    level_bytes_ += aligned_bytes(width * size_[number]);
  }
  levels_ = memory;
}

StateBuffers StateMerger::level(int64_t number) const noexcept {
  StateBuffers buffers;
  std::byte* next = levels_ + number * level_bytes_;
  for (size_t state = 0; state < num_states_; ++state) {
    buffers[state] = next;
    next += aligned_bytes(width_ * size_[state]);
  }
  return buffers;
}

void StateMerger::copy(const void* const* from, const StateBuffers& to,
                       int64_t count) const noexcept {
  for (size_t state = 0; state < num_states_; ++state) {
    if (from[state] != to[state]) {
      std::memcpy(to[state], from[state], static_cast<size_t>(count * size_[state]));
    }
  }
}

Status StateMerger::combine(const void* const* left, const void* const* right,
                            const StateBuffers& into, int64_t count) noexcept {
  for (size_t state = 0; state < num_states_; ++state) {
    machine_.set_parameter(static_cast<int32_t>(state), left[state]);
    machine_.set_parameter(static_cast<int32_t>(num_states_ + state), right[state]);
  }
  // Functions run over whole vectors, so a partial last vector would overwrite lanes that still
  // count.
  const bool is_whole = count * size_[num_states_ - 1] % 64 == 0;
  std::byte* const target = machine_.takes_target() && is_whole ? into[num_states_ - 1] : nullptr;
  const Status status = machine_.run(nullptr, count, target, nullptr);
  for (size_t state = 0; state < num_states_; ++state) {
    const void* const result = machine_.result(state);
    if (result != into[state]) {
      std::memmove(into[state], result, static_cast<size_t>(count * size_[state]));
    }
  }
  return status;
}

Status StateMerger::fold_rows(const StateBuffers& states, const StateBuffers& shifted, int64_t rows,
                              int64_t columns) noexcept {
  while (rows > 1) {
    const int64_t kept = (rows + 1) / 2;
    const int64_t count = (rows - kept) * columns;
    StateBuffers right = shifted;
    for (size_t state = 0; state < num_states_; ++state) {
      std::byte* const upper = states[state] + kept * columns * size_[state];
      if (kept * columns * size_[state] % 64 == 0) {
        right[state] = upper;
      } else {
        std::memcpy(right[state], upper, static_cast<size_t>(count * size_[state]));
      }
    }
    const Status status = combine(as_states(states), as_states(right), states, count);
    if (status != Status::ok) {
      return status;
    }
    rows = kept;
  }
  return Status::ok;
}

Status StateMerger::push(const StateBuffers& leaf, int64_t rank, int64_t count) noexcept {
  int64_t number = rank;
  for (; ((num_leaves_ >> number) & 1) != 0; ++number) {
    const StateBuffers earlier = level(number);
    const Status status = combine(as_states(earlier), as_states(leaf), leaf, count);
    if (status != Status::ok) {
      return status;
    }
  }
  copy(as_states(leaf), level(number), count);
  num_leaves_ += uint64_t{1} << rank;
  return Status::ok;
}

Status StateMerger::end_tree(const StateBuffers& result, bool has_last, int64_t count) noexcept {
  bool has_result = has_last;
  for (int64_t number = 0; (num_leaves_ >> number) != 0; ++number) {
    if (((num_leaves_ >> number) & 1) == 0) {
      continue;
    }
    const StateBuffers earlier = level(number);
    if (!has_result) {
      copy(as_states(earlier), result, count);
      has_result = true;
    } else if (const Status status = combine(as_states(earlier), as_states(result), result, count);
               status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

}  // namespace tessera::kernels
