#include "kernels/cpu/blocked/accumulator.h"

#include <algorithm>

namespace tessera::kernels {

int64_t BlockAccumulator::workspace_bytes(const BlockReduction& reduction, int64_t num_blocks) {
  return StateMerger::workspace_bytes(reduction, kBlock, num_blocks / kLeaf);
}

void BlockAccumulator::bind(const BlockReduction& reduction, std::byte* memory) noexcept {
  reduction_ = &reduction;
  merger_.bind(reduction, kBlock, memory, leaf_, shifted_);
}

void BlockAccumulator::begin(int64_t lanes, int64_t out_lanes) noexcept {
  lanes_ = lanes;
  out_lanes_ = out_lanes;
  has_leaf_ = false;
  blocks_in_leaf_ = 0;
  blocks_to_count_ = 0;
  merger_.begin_tree();
}

void BlockAccumulator::fill_identity(int64_t from, int64_t to) noexcept {
  const expr::Monoid& monoid = reduction_->monoid();
  for (size_t state = 0; state < num_states(); ++state) {
    fill_literal(monoid.identity[state], compute_type(monoid.state[state]),
                 leaf_[state] + from * merger_.size(state), to - from);
  }
}

Status BlockAccumulator::add(const void* const* states, int64_t count) noexcept {
  Status status = Status::ok;
  write_counts();
  if (!has_leaf_) {
    merger_.copy(states, leaf_, count);
    fill_identity(count, lanes_);
    has_leaf_ = true;
  } else {
    status = merger_.combine(as_states(leaf_), states, leaf_, count);
  }
  ++blocks_in_leaf_;
  return status == Status::ok ? push_full_leaf() : status;
}

Status BlockAccumulator::push_full_leaf() noexcept {
  if (blocks_in_leaf_ < kLeaf) {
    return Status::ok;
  }
  blocks_in_leaf_ = 0;
  if (is_exact_) {
    return Status::ok;
  }
  write_counts();
  has_leaf_ = false;
  return merger_.push(leaf_, 0, lanes_);
}

/// Writes counted states. Integers wrap.
void BlockAccumulator::write_counts() noexcept {
  if (blocks_to_count_ == 0) {
    return;
  }
  for (size_t state = 0; state < num_states(); ++state) {
    if (summand_[state]) {
      const uint64_t sum =
          static_cast<uint64_t>(*summand_[state]) * static_cast<uint64_t>(blocks_to_count_);
      auto* const lanes = reinterpret_cast<uint64_t*>(leaf_[state]);
      std::for_each(lanes, lanes + lanes_, [sum](uint64_t& lane) { lane += sum; });
    }
  }
  blocks_to_count_ = 0;
}

Status BlockAccumulator::add_blocks(std::span<const std::array<const void*, kLeaf>> blocks,
                                    int64_t num_blocks) noexcept {
  const bool continues = has_leaf_;
  const std::span<const ColumnFold> columns = reduction_->columns();
  std::array<const void*, kLeaf + 1> rows;
  for (size_t state = 0; state < num_states(); ++state) {
    if (summand_[state]) {
      if (!continues) {
        std::fill_n(reinterpret_cast<uint64_t*>(leaf_[state]), lanes_, 0);
      }
      continue;
    }
    if (state == 0 && first_columns_ != nullptr) {
      first_columns_(blocks[0].data(), num_blocks, lanes_, continues, leaf_[0]);
      continue;
    }
    rows[0] = leaf_[state];
    std::copy_n(blocks[state].begin(), num_blocks, rows.begin() + 1);
    columns[state](rows.data() + (continues ? 0 : 1), num_blocks + (continues ? 1 : 0), lanes_,
                   leaf_[state]);
  }
  has_leaf_ = true;
  blocks_to_count_ += num_blocks;
  blocks_in_leaf_ += num_blocks;
  return push_full_leaf();
}

Status BlockAccumulator::finish() noexcept {
  write_counts();
  if (!has_leaf_ && merger_.num_leaves() == 0) {
    fill_identity(0, lanes_);
  }
  const Status status = merger_.end_tree(leaf_, has_leaf_, lanes_);
  return status == Status::ok ? merger_.fold_rows(leaf_, shifted_, lanes_ / out_lanes_, out_lanes_)
                              : status;
}

Status BlockAccumulator::merge_before(const void* const* before, int64_t count) noexcept {
  return merger_.combine(before, as_states(leaf_), leaf_, count);
}

}  // namespace tessera::kernels
