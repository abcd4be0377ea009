#include "kernels/cpu/block_reduction.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace tessera::kernels {

namespace {

int64_t state_bytes(const expr::Monoid& monoid) {
  int64_t bytes = 0;
  for (const DType dtype : monoid.state) {
    bytes += kBlock * size_of(compute_type(dtype));
  }
  return bytes;
}

}  // namespace

BlockReduction::BlockReduction(const expr::Monoid& monoid, Isa isa, std::string& reason)
    : monoid_(monoid), program_(monoid.combine, isa, reason) {
  if (monoid.state.size() > static_cast<size_t>(kMaxStates)) {
    reason = fmt::format("the aggregate {} has {} states, more than {}", monoid.name,
                         monoid.state.size(), kMaxStates);
  }
}

int64_t BlockReduction::workspace_bytes(int64_t num_blocks) const {
  const auto leaves = static_cast<uint64_t>(num_blocks / kLeaf);
  return program_.buffer_bytes() + (2 + std::bit_width(leaves)) * state_bytes(monoid_);
}

void BlockAccumulator::bind(const BlockReduction& reduction, std::byte* memory) noexcept {
  static constexpr bool kNoStreams[1] = {};
  reduction_ = &reduction;
  machine_.bind(reduction.program(), kNoStreams, memory);
  memory += reduction.program().buffer_bytes();
  num_states_ = reduction.monoid().state.size();
  level_bytes_ = state_bytes(reduction.monoid());
  for (size_t state = 0; state < num_states_; ++state) {
    size_[state] = size_of(compute_type(reduction.monoid().state[state]));
    leaf_[state] = memory;
    shifted_[state] = memory + level_bytes_;
    memory += kBlock * size_[state];
  }
  levels_ = memory + level_bytes_;
}

BlockAccumulator::Buffers BlockAccumulator::level(int64_t number) const {
  Buffers buffers;
  std::byte* next = levels_ + number * level_bytes_;
  for (size_t state = 0; state < num_states_; ++state) {
    buffers[state] = next;
    next += kBlock * size_[state];
  }
  return buffers;
}

void BlockAccumulator::begin(int64_t lanes, int64_t out_lanes) noexcept {
  lanes_ = lanes;
  out_lanes_ = out_lanes;
  blocks_in_leaf_ = 0;
  num_leaves_ = 0;
}

void BlockAccumulator::copy(const void* const* from, const Buffers& to, int64_t count) noexcept {
  for (size_t state = 0; state < num_states_; ++state) {
    if (from[state] != to[state]) {
      std::memcpy(to[state], from[state], static_cast<size_t>(count * size_[state]));
    }
  }
}

void BlockAccumulator::fill_identity(int64_t from, int64_t to) noexcept {
  const expr::Monoid& monoid = reduction_->monoid();
  for (size_t state = 0; state < num_states_; ++state) {
    fill_literal(monoid.identity[state], compute_type(monoid.state[state]),
                 leaf_[state] + from * size_[state], to - from);
  }
}

Status BlockAccumulator::combine(const void* const* left, const void* const* right,
                                 const Buffers& into, int64_t count) noexcept {
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

Status BlockAccumulator::add(const void* const* states, int64_t count) noexcept {
  Status status = Status::ok;
  if (blocks_in_leaf_ == 0) {
    copy(states, leaf_, count);
    fill_identity(count, lanes_);
  } else {
    status = combine(reinterpret_cast<const void* const*>(leaf_.data()), states, leaf_, count);
  }
  if (++blocks_in_leaf_ == BlockReduction::kLeaf && status == Status::ok) {
    status = push_leaf();
  }
  return status;
}

Status BlockAccumulator::push_leaf() noexcept {
  const auto* leaf = reinterpret_cast<const void* const*>(leaf_.data());
  int64_t number = 0;
  for (; ((num_leaves_ >> number) & 1) != 0; ++number) {
    const Buffers earlier = level(number);
    const Status status =
        combine(reinterpret_cast<const void* const*>(earlier.data()), leaf, leaf_, lanes_);
    if (status != Status::ok) {
      return status;
    }
  }
  copy(leaf, level(number), lanes_);
  ++num_leaves_;
  blocks_in_leaf_ = 0;
  return Status::ok;
}

Status BlockAccumulator::merge_leaves() noexcept {
  const auto* leaf = reinterpret_cast<const void* const*>(leaf_.data());
  bool has_result = blocks_in_leaf_ > 0;
  for (int64_t number = 0; (num_leaves_ >> number) != 0; ++number) {
    if (((num_leaves_ >> number) & 1) == 0) {
      continue;
    }
    const Buffers earlier = level(number);
    const auto* left = reinterpret_cast<const void* const*>(earlier.data());
    if (!has_result) {
      copy(left, leaf_, lanes_);
      has_result = true;
    } else if (const Status status = combine(left, leaf, leaf_, lanes_); status != Status::ok) {
      return status;
    }
  }
  if (!has_result) {
    fill_identity(0, lanes_);
  }
  return Status::ok;
}

Status BlockAccumulator::fold_lanes() noexcept {
  const auto* leaf = reinterpret_cast<const void* const*>(leaf_.data());
  for (int64_t rows = lanes_ / out_lanes_; rows > 1;) {
    const int64_t kept = (rows + 1) / 2;
    const int64_t count = (rows - kept) * out_lanes_;
    Buffers right = shifted_;
    for (size_t state = 0; state < num_states_; ++state) {
      std::byte* const upper = leaf_[state] + kept * out_lanes_ * size_[state];
      if (kept * out_lanes_ * size_[state] % 64 == 0) {
        right[state] = upper;
      } else {
        std::memcpy(right[state], upper, static_cast<size_t>(count * size_[state]));
      }
    }
    const Status status =
        combine(leaf, reinterpret_cast<const void* const*>(right.data()), leaf_, count);
    if (status != Status::ok) {
      return status;
    }
    rows = kept;
  }
  return Status::ok;
}

Status BlockAccumulator::finish() noexcept {
  const Status status = merge_leaves();
  return status == Status::ok ? fold_lanes() : status;
}

Status BlockAccumulator::merge_before(const void* const* before, int64_t count) noexcept {
  return combine(before, reinterpret_cast<const void* const*>(leaf_.data()), leaf_, count);
}

}  // namespace tessera::kernels
