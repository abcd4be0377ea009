#include "kernels/cpu/blocked/evaluator.h"

#include <algorithm>
#include <array>
#include <span>

#include "kernels/cpu/blocked/evaluator_run.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

void BlockedEvaluator::Run::set_up() {
  // A value that is merged with an earlier state may not be merged twice.
  const bool may_repeat = !call.accumulate && is_written_apart(space, num_inputs);
  block = choose_block(space, evaluator.has_folds(), may_repeat);
  std::array<bool, kMaxStreams> uniform;
  for (int number = 0; number < space.num_streams; ++number) {
    const auto stream = static_cast<size_t>(number);
    origins[stream] = space.streams[stream].origin;
    const bool is_input = number < num_inputs;
    views[stream] = {&space.streams[stream],
                     &block,
                     is_input ? block.num_dims : block.num_out_dims,
                     0,
                     0,
                     is_input ? 0 : block.first_out_dim};
    uniform[stream] = is_uniform(views[stream]);
  }
  std::byte* memory = call.workspace;
  staging = reinterpret_cast<uint16_t*>(memory);
  memory += kStagingBytes;
  before = memory;
  memory += evaluator.result_bytes();
  merges_rows = evaluator.merging_ && !space.is_empty() && are_single_rows(space, block) &&
                std::equal(uniform.begin(), uniform.begin() + num_inputs,
                           evaluator.expected_uniform_.begin());
  machine.bind(merges_rows ? *evaluator.merging_ : evaluator.program_, uniform.data(), memory,
               evaluator.reduction_ ? kBlock : block.count());
  memory += evaluator.buffer_bytes();
  if (evaluator.reduction_) {
    accumulator.bind(*evaluator.reduction_, memory);
    accumulator.set_exact(evaluator.reduction_->is_exact());
    for (size_t state = 0; state < accumulator.num_states(); ++state) {
      accumulator.count_constants(state, evaluator.rows_->summand(state));
    }
    memory += BlockAccumulator::workspace_bytes(*evaluator.reduction_, evaluator.num_blocks_);
  }
  if (evaluator.columns_width_ > 0) {
    columns.bind(*evaluator.reduction_, *evaluator.rows_, evaluator.columns_width_, memory);
    memory += ColumnAccumulator::workspace_bytes(*evaluator.reduction_, evaluator.columns_width_,
                                                 evaluator.num_blocks_);
  }
  if (evaluator.has_folds()) {
    for (int64_t row = 0; row < evaluator.rows_together_; ++row) {
      rows[static_cast<size_t>(row)].bind(*evaluator.rows_, memory);
      memory += evaluator.rows_->workspace_bytes(evaluator.num_blocks_);
    }
  }
}

/// Points the views at the current block of the loops.
void BlockedEvaluator::Run::look(int64_t count, int64_t out_count) {
  for (int number = 0; number < space.num_streams; ++number) {
    const auto stream = static_cast<size_t>(number);
    views[stream].origin = origins[stream];
    views[stream].count = number < num_inputs ? count : out_count;
  }
}

Status BlockedEvaluator::Run::map() {
  BlockLoop loop(space, block, 0, space.num_labels);
  loop.start(block);
  const BlockView& last_output = views[static_cast<size_t>(space.num_streams - 1)];
  bool takes_target = false;
  do {
    const int64_t count = block.count();
    look(count, count);
    if (loop.has_new_shape()) {
      machine.place(views.data());
      takes_target = machine.takes_target() && in_place(last_output);
    }
    void* const target = takes_target ? address_of(last_output) : nullptr;
    if (const Status status = machine.run_placed(views.data(), count, target, staging);
        status != Status::ok) {
      return status;
    }
    for (size_t output = 0; output < call.outputs.size(); ++output) {
      const void* const result = machine.result(output);
      if (result != target) {
        store_block(views[static_cast<size_t>(num_inputs) + output], result, staging);
      }
    }
  } while (loop.advance(block, origins.data()));
  return Status::ok;
}

/// Computes the block's states, or finds them in place if nothing is computed.
Status BlockedEvaluator::Run::compute_states(int64_t count, StateAddresses& states) {
  if (stored().find(states)) {
    return Status::ok;
  }
  const Status status = machine.run(views.data(), count, nullptr, staging);
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    states[state] = machine.result(state);
  }
  return status;
}

Status BlockedEvaluator::Run::store_results(int64_t count) {
  look(count, count);
  if (call.accumulate) {
    std::array<const void*, kMaxStates> earlier;
    std::byte* buffer = before;
    for (size_t state = 0; state < accumulator.num_states(); ++state) {
      const BlockView& view = views[static_cast<size_t>(num_inputs) + state];
      load_block(view, buffer, staging);
      earlier[state] = buffer;
      buffer += aligned_bytes(kBlock * size_of(compute_type(view.stream->dtype)));
    }
    if (const Status status = accumulator.merge_before(earlier.data(), count);
        status != Status::ok) {
      return status;
    }
  }
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    store_block(views[static_cast<size_t>(num_inputs) + state], accumulator.state(state), staging);
  }
  return Status::ok;
}

Status BlockedEvaluator::run(const KernelCall& call) const noexcept {
  Run run(*this, call);
  if (const Status status = lay_out(statement_, program_.streams(), call, run.space);
      status != Status::ok) {
    return status;
  }
  simplify(run.space);
  const auto kept = std::span(run.space.length).first(static_cast<size_t>(run.space.num_out));
  if (std::find(kept.begin(), kept.end(), 0) != kept.end()) {
    return Status::ok;
  }
  run.set_up();
  return !reduction_          ? run.map()
         : run.merges_rows    ? run.reduce_merged_rows()
         : run.block.has_rows ? run.reduce_rows()
                              : run.reduce();
}

}  // namespace tessera::kernels
