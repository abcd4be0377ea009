#include "kernels/cpu/leaf_accumulator.h"

#include <bit>
#include <cstring>
#include <utility>

#include "kernels/cpu/strided_copy.h"

namespace tessera::kernels {

namespace {

int64_t round_up(int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// Moves a matrix [rows, columns] of elements, steps in elements.
void move_matrix(const std::byte* from, int64_t from_row, int64_t from_column, std::byte* to,
                 int64_t to_row, int64_t to_column, int64_t rows, int64_t columns, int64_t size) {
  StridedBox box;
  box.add(columns, from_column * size, to_column * size);
  box.add(rows, from_row * size, to_row * size);
  copy_box(from, to, size, std::move(box));
}

}  // namespace

int64_t LeafAccumulator::workspace_bytes(const BlockReduction& reduction, int64_t items,
                                         int64_t num_leaves) {
  const auto num_levels = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(num_leaves)));
  int64_t bytes = reduction.program().buffer_bytes();
  for (const DType dtype : reduction.monoid().state) {
    const int64_t size = size_of(compute_type(dtype));
    bytes += 2 * kBlock * size + num_levels * round_up(items * size);
  }
  return bytes;
}

void LeafAccumulator::bind(const BlockReduction& reduction, int64_t items,
                           std::byte* memory) noexcept {
  static constexpr bool kNoStreams[1] = {};
  reduction_ = &reduction;
  machine_.bind(reduction.program(), kNoStreams, memory);
  memory += reduction.program().buffer_bytes();
  num_states_ = reduction.monoid().state.size();
  most_items_ = items;
  for (size_t state = 0; state < num_states_; ++state) {
    size_[state] = size_of(compute_type(reduction.monoid().state[state]));
    lanes_[state] = memory;
    shifted_[state] = memory + kBlock * size_[state];
    memory += 2 * kBlock * size_[state];
  }
  levels_ = memory;
}

LeafAccumulator::Buffers LeafAccumulator::level(int64_t number) const noexcept {
  int64_t level_bytes = 0;
  for (size_t state = 0; state < num_states_; ++state) {
    level_bytes += round_up(most_items_ * size_[state]);
  }
  Buffers buffers;
  std::byte* next = levels_ + number * level_bytes;
  for (size_t state = 0; state < num_states_; ++state) {
    buffers[state] = next;
    next += round_up(most_items_ * size_[state]);
  }
  return buffers;
}

void LeafAccumulator::copy(const Buffers& from, const Buffers& to, int64_t count) noexcept {
  for (size_t state = 0; state < num_states_; ++state) {
    std::memcpy(to[state], from[state], static_cast<size_t>(count * size_[state]));
  }
}

Status LeafAccumulator::combine(const Buffers& left, const Buffers& right, const Buffers& into,
                                int64_t count) noexcept {
  return combine(left, reinterpret_cast<const void* const*>(right.data()), into, count);
}

Status LeafAccumulator::combine(const Buffers& left, const void* const* right, const Buffers& into,
                                int64_t count) noexcept {
  for (size_t state = 0; state < num_states_; ++state) {
    machine_.set_parameter(static_cast<int32_t>(state), left[state]);
    machine_.set_parameter(static_cast<int32_t>(num_states_ + state), right[state]);
  }
  // Functions run over whole vectors, so a last part of one would write over lanes that still
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

void LeafAccumulator::begin_leaf(int64_t items, int64_t lanes, bool items_inner) noexcept {
  items_ = items;
  num_lanes_ = lanes;
  items_inner_ = items_inner;
  is_first_ = true;
}

Status LeafAccumulator::add(const void* const* states, int64_t positions) noexcept {
  if (is_first_) {
    is_first_ = false;
    for (size_t state = 0; state < num_states_; ++state) {
      std::memcpy(lanes_[state], states[state],
                  static_cast<size_t>(items_ * positions * size_[state]));
    }
    return Status::ok;
  }
  if (items_inner_ || positions == num_lanes_ || items_ == 1) {
    return combine(lanes_, states, lanes_, items_ * positions);
  }
  return add_last_positions(states, positions);
}

/// The positions of an item lie side by side, fewer than it has lanes: these are brought together,
/// merged and brought back.
Status LeafAccumulator::add_last_positions(const void* const* states, int64_t positions) noexcept {
  for (size_t state = 0; state < num_states_; ++state) {
    move_matrix(lanes_[state], num_lanes_, 1, shifted_[state], positions, 1, items_, positions,
                size_[state]);
  }
  const Status status = combine(shifted_, states, shifted_, items_ * positions);
  for (size_t state = 0; state < num_states_; ++state) {
    move_matrix(shifted_[state], positions, 1, lanes_[state], num_lanes_, 1, items_, positions,
                size_[state]);
  }
  return status;
}

void LeafAccumulator::transpose() noexcept {
  for (size_t state = 0; state < num_states_; ++state) {
    move_matrix(lanes_[state], num_lanes_, 1, shifted_[state], 1, items_, items_, num_lanes_,
                size_[state]);
  }
  std::swap(lanes_, shifted_);
}

Status LeafAccumulator::end_leaf() noexcept {
  if (!items_inner_ && items_ > 1 && num_lanes_ > 1) {
    transpose();
  }
  for (int64_t rows = num_lanes_; rows > 1;) {
    const int64_t kept = (rows + 1) / 2;
    const int64_t count = (rows - kept) * items_;
    Buffers right = shifted_;
    for (size_t state = 0; state < num_states_; ++state) {
      std::byte* const upper = lanes_[state] + kept * items_ * size_[state];
      if (kept * items_ * size_[state] % 64 == 0) {
        right[state] = upper;
      } else {
        std::memcpy(right[state], upper, static_cast<size_t>(count * size_[state]));
      }
    }
    if (const Status status = combine(lanes_, right, lanes_, count); status != Status::ok) {
      return status;
    }
    rows = kept;
  }
  return Status::ok;
}

/// Takes in lanes_ as a merge of 2^rank leaves.
Status LeafAccumulator::push(int64_t rank, int64_t items) noexcept {
  int64_t number = rank;
  for (; ((num_leaves_ >> number) & 1) != 0; ++number) {
    if (const Status status = combine(level(number), lanes_, lanes_, items); status != Status::ok) {
      return status;
    }
  }
  copy(lanes_, level(number), items);
  num_leaves_ += uint64_t{1} << rank;
  return Status::ok;
}

Status LeafAccumulator::push_leaves(int64_t items) noexcept {
  return push(0, items);
}

/// Merges item 0 with item 1, item 2 with item 3, ...: `items` is even.
Status LeafAccumulator::halve_neighbours(int64_t items) noexcept {
  const int64_t half = items / 2;
  Buffers odd;
  for (size_t state = 0; state < num_states_; ++state) {
    odd[state] = shifted_[state] + round_up(half * size_[state]);
    move_matrix(lanes_[state], 2, 1, shifted_[state], 1, 0, half, 1, size_[state]);
    move_matrix(lanes_[state] + size_[state], 2, 1, odd[state], 1, 0, half, 1, size_[state]);
  }
  return combine(shifted_, odd, lanes_, half);
}

Status LeafAccumulator::push_neighbours(int64_t items) noexcept {
  if (!std::has_single_bit(static_cast<uint64_t>(items)) ||
      num_leaves_ % static_cast<uint64_t>(items) != 0) {
    // Not a whole subtree: leaf by leaf. They are kept behind what push() writes.
    for (size_t state = 0; state < num_states_; ++state) {
      std::memcpy(shifted_[state], lanes_[state], static_cast<size_t>(items * size_[state]));
    }
    for (int64_t item = 0; item < items; ++item) {
      for (size_t state = 0; state < num_states_; ++state) {
        std::memcpy(lanes_[state], shifted_[state] + item * size_[state],
                    static_cast<size_t>(size_[state]));
      }
      if (const Status status = push(0, 1); status != Status::ok) {
        return status;
      }
    }
    return Status::ok;
  }
  int64_t rank = 0;
  for (; items > 1; items /= 2, ++rank) {
    if (const Status status = halve_neighbours(items); status != Status::ok) {
      return status;
    }
  }
  return push(rank, 1);
}

Status LeafAccumulator::end_tree(int64_t items) noexcept {
  bool has_result = false;
  for (int64_t number = 0; (num_leaves_ >> number) != 0; ++number) {
    if (((num_leaves_ >> number) & 1) == 0) {
      continue;
    }
    if (!has_result) {
      copy(level(number), lanes_, items);
      has_result = true;
    } else if (const Status status = combine(level(number), lanes_, lanes_, items);
               status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

}  // namespace tessera::kernels
