#include "kernels/cpu/blocked/accumulator.h"

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
  blocks_in_leaf_ = 0;
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
  if (blocks_in_leaf_ == 0) {
    merger_.copy(states, leaf_, count);
    fill_identity(count, lanes_);
  } else {
    status = merger_.combine(as_states(leaf_), states, leaf_, count);
  }
  if (++blocks_in_leaf_ == kLeaf && status == Status::ok) {
    status = merger_.push(leaf_, 0, lanes_);
    blocks_in_leaf_ = 0;
  }
  return status;
}

Status BlockAccumulator::finish() noexcept {
  const bool has_last = blocks_in_leaf_ > 0;
  if (!has_last && merger_.num_leaves() == 0) {
    fill_identity(0, lanes_);
  }
  const Status status = merger_.end_tree(leaf_, has_last, lanes_);
  return status == Status::ok ? merger_.fold_rows(leaf_, shifted_, lanes_ / out_lanes_, out_lanes_)
                              : status;
}

Status BlockAccumulator::merge_before(const void* const* before, int64_t count) noexcept {
  return merger_.combine(before, as_states(leaf_), leaf_, count);
}

}  // namespace tessera::kernels
