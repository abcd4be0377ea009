#include "kernels/cpu/ordered/leaf_accumulator.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

/// Moves a matrix [rows, columns] of elements, steps in elements.
void move_matrix(const std::byte* from, int64_t from_row, int64_t from_column, std::byte* to,
                 int64_t to_row, int64_t to_column, int64_t rows, int64_t columns, int64_t size) {
  StridedBox box;
  box.add(columns, from_column * size, to_column * size);
  box.add(rows, from_row * size, to_row * size);
  copy_box(from, to, size, box);
}

/// Separates elements into those at even and at odd places.
template <class T>
void split_pairs(const std::byte* from, int64_t pairs, std::byte* even, std::byte* odd) {
  const auto* const elements = reinterpret_cast<const T*>(from);
  for (int64_t pair = 0; pair < pairs; ++pair) {
    reinterpret_cast<T*>(even)[pair] = elements[2 * pair];
    reinterpret_cast<T*>(odd)[pair] = elements[2 * pair + 1];
  }
}

void split_pairs(const std::byte* from, int64_t pairs, std::byte* even, std::byte* odd,
                 int64_t size) {
  switch (size) {
    case 4:
      return split_pairs<uint32_t>(from, pairs, even, odd);
    case 8:
      return split_pairs<uint64_t>(from, pairs, even, odd);
    default:
      move_matrix(from, 2, 1, even, 1, 0, pairs, 1, size);
      move_matrix(from + size, 2, 1, odd, 1, 0, pairs, 1, size);
  }
}

}  // namespace

int64_t LeafAccumulator::workspace_bytes(const BlockReduction& reduction, int64_t items,
                                         int64_t num_leaves) {
  return StateMerger::workspace_bytes(reduction, items, num_leaves);
}

void LeafAccumulator::bind(const BlockReduction& reduction, int64_t items,
                           std::byte* memory) noexcept {
  merger_.bind(reduction, items, memory, lanes_, shifted_);
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
    merger_.copy(states, lanes_, items_ * positions);
    return Status::ok;
  }
  if (items_inner_ || positions == num_lanes_ || items_ == 1) {
    return merger_.combine(as_states(lanes_), states, lanes_, items_ * positions);
  }
  return add_last_positions(states, positions);
}

/// Adds positions of items that are contiguous and fewer than their lanes: gathers these lanes,
/// merges and scatters them.
Status LeafAccumulator::add_last_positions(const void* const* states, int64_t positions) noexcept {
  for (size_t state = 0; state < num_states(); ++state) {
    move_matrix(lanes_[state], num_lanes_, 1, shifted_[state], positions, 1, items_, positions,
                merger_.size(state));
  }
  const Status status = merger_.combine(as_states(shifted_), states, shifted_, items_ * positions);
  for (size_t state = 0; state < num_states(); ++state) {
    move_matrix(shifted_[state], positions, 1, lanes_[state], num_lanes_, 1, items_, positions,
                merger_.size(state));
  }
  return status;
}

void LeafAccumulator::transpose() noexcept {
  for (size_t state = 0; state < num_states(); ++state) {
    move_matrix(lanes_[state], num_lanes_, 1, shifted_[state], 1, items_, items_, num_lanes_,
                merger_.size(state));
  }
  std::swap(lanes_, shifted_);
}

Status LeafAccumulator::end_leaf() noexcept {
  if (!items_inner_ && items_ > 1 && num_lanes_ > 1) {
    transpose();
  }
  return merger_.fold_rows(lanes_, shifted_, num_lanes_, items_);
}

Status LeafAccumulator::push_leaves(int64_t items) noexcept {
  return merger_.push(lanes_, 0, items);
}

/// Merges item 0 with item 1, item 2 with item 3, ...: `items` is even.
Status LeafAccumulator::halve_neighbours(int64_t items) noexcept {
  const int64_t half = items / 2;
  StateBuffers odd;
  for (size_t state = 0; state < num_states(); ++state) {
    const int64_t size = merger_.size(state);
    odd[state] = shifted_[state] + aligned_bytes(half * size);
    split_pairs(lanes_[state], half, shifted_[state], odd[state], size);
  }
  return merger_.combine(as_states(shifted_), as_states(odd), lanes_, half);
}

/// Pushes the items one by one. They are kept behind the memory that push() writes.
Status LeafAccumulator::push_one_by_one(int64_t items) noexcept {
  merger_.copy(as_states(lanes_), shifted_, items);
  for (int64_t item = 0; item < items; ++item) {
    for (size_t state = 0; state < num_states(); ++state) {
      const int64_t size = merger_.size(state);
      std::memcpy(lanes_[state], shifted_[state] + item * size, static_cast<size_t>(size));
    }
    if (const Status status = merger_.push(lanes_, 0, 1); status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

Status LeafAccumulator::push_neighbours(int64_t items) noexcept {
  const auto count = static_cast<uint64_t>(items);
  const bool is_subtree = std::has_single_bit(count) && merger_.num_leaves() % count == 0;
  if (!is_subtree) {
    return push_one_by_one(items);
  }
  int64_t rank = 0;
  for (; items > 1; items /= 2, ++rank) {
    if (const Status status = halve_neighbours(items); status != Status::ok) {
      return status;
    }
  }
  return merger_.push(lanes_, rank, 1);
}

Status LeafAccumulator::end_tree(int64_t items) noexcept {
  return merger_.end_tree(lanes_, false, items);
}

}  // namespace tessera::kernels
