#include "kernels/cpu/blocked/evaluator.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/overload.h"
#include "kernels/cpu/blocked/accumulator.h"
#include "kernels/cpu/blocked/loop.h"
#include "kernels/cpu/blocked/machine.h"
#include "kernels/cpu/blocked/merged_rows.h"
#include "kernels/cpu/blocked/stored_states.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

struct BlockedEvaluator::Run {
  const BlockedEvaluator& evaluator;
  const KernelCall& call;
  IterationSpace space;
  BlockShape block;
  int num_inputs = 0;  // streams [0, num_inputs) are read, the outputs follow
  std::array<int64_t, kMaxStreams> origins;
  std::array<BlockView, kMaxStreams> views;
  uint16_t* staging = nullptr;
  std::byte* before = nullptr;
  BlockMachine machine;
  bool merges_rows = false;  // by the evaluator's merging program
  BlockAccumulator accumulator;
  std::array<RowAccumulator, kMostRowsTogether> rows;

  Run(const BlockedEvaluator& of, const KernelCall& with)
      : evaluator(of), call(with), num_inputs(static_cast<int>(of.program_.streams().size())) {}

  void set_up();
  void look(int64_t count, int64_t out_count);
  Status compute(void* target) {
    return machine.run(views.data(), views[0].count, target, staging);
  }
  Status map();
  Status reduce();
  std::optional<StoredStates> stored_columns();
  Status reduce_block(BlockLoop& loop);
  Status compute_states(int64_t count, StateAddresses& states);
  std::array<void*, kMaxStates> row_targets() const;
  Status reduce_rows();
  Status reduce_row(BlockLoop& loop, void* const* targets);
  StoredStates stored() const { return {evaluator.program_, machine, views.data()}; }
  bool has_stored_rows();
  int64_t rows_together() const;
  Status reduce_stored_rows();
  Status reduce_merged_rows();
  Status store_results(int64_t count);
};

void BlockedEvaluator::Run::set_up() {
  // What is merged with earlier states may not be merged twice.
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
  memory += evaluator.program_.buffer_bytes();
  if (evaluator.reduction_) {
    accumulator.bind(*evaluator.reduction_, memory);
    accumulator.set_exact(evaluator.reduction_->is_exact());
    for (size_t state = 0; state < accumulator.num_states(); ++state) {
      accumulator.count_constants(state, evaluator.rows_->summand(state));
    }
    memory += BlockAccumulator::workspace_bytes(*evaluator.reduction_, evaluator.num_blocks_);
  }
  if (evaluator.has_folds()) {
    for (int64_t row = 0; row < evaluator.rows_together_; ++row) {
      rows[static_cast<size_t>(row)].bind(*evaluator.rows_, memory);
      memory += evaluator.rows_->workspace_bytes(evaluator.num_blocks_);
    }
  }
}

/// Points the views at the block that the loops have reached.
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

/// What blocks are merged of several at a time, where the block that the views show can be.
std::optional<StoredStates> BlockedEvaluator::Run::stored_columns() {
  StateAddresses states;
  const StoredStates made(evaluator.program_, machine, views.data(), true);
  const bool is_stored = stored().find(states);
  const bool is_made = !is_stored && evaluator.merged_columns_ != nullptr && made.find(states);
  if (!accumulator.has_columns() || !(is_stored || is_made)) {
    return std::nullopt;
  }
  accumulator.merge_first_by(is_made ? evaluator.merged_columns_->merged_columns : nullptr);
  accumulator.set_exact(is_made ? static_cast<double>(space.num_reduced()) <=
                                      evaluator.merged_columns_->exact_elements
                                : evaluator.reduction_->is_exact());
  return is_made ? made : stored();
}

Status BlockedEvaluator::Run::reduce_block(BlockLoop& loop) {
  loop.start(block);
  accumulator.begin(block.count(), block.out_lanes());
  const bool is_empty = space.is_empty();
  StateAddresses states;
  look(block.count(), block.out_lanes());
  if (const std::optional<StoredStates> columns = is_empty ? std::nullopt : stored_columns()) {
    const Status status = accumulate_stored(
        *columns, loop, block, origins.data(), accumulator,
        [this](int64_t count) { look(count, block.out_lanes()); },
        [&](int64_t count) {
          const Status computed = compute_states(count, states);
          return computed == Status::ok ? accumulator.add(states.data(), count) : computed;
        });
    return status == Status::ok ? accumulator.finish() : status;
  }
  bool goes_on = !is_empty;
  while (goes_on) {
    const int64_t count = block.count();
    look(count, block.out_lanes());
    Status status = machine.run(views.data(), count, nullptr, staging);
    for (size_t state = 0; state < accumulator.num_states(); ++state) {
      states[state] = machine.result(state);
    }
    status = status == Status::ok ? accumulator.add(states.data(), count) : status;
    if (status != Status::ok) {
      return status;
    }
    goes_on = loop.advance(block, origins.data());
  }
  return accumulator.finish();
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

Status BlockedEvaluator::Run::reduce() {
  BlockLoop results(space, block, 0, space.num_out);
  BlockLoop reduced(space, block, space.num_out, space.num_labels);
  results.start(block);
  do {
    Status status = reduce_block(reduced);
    status = status == Status::ok ? store_results(block.out_lanes()) : status;
    if (status != Status::ok) {
      return status;
    }
  } while (results.advance(block, origins.data()));
  return Status::ok;
}

/// The block's states, where they lie if nothing is computed.
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

/// Where the results of the rows go: straight into the outputs, if all can be written there.
std::array<void*, kMaxStates> BlockedEvaluator::Run::row_targets() const {
  std::array<void*, kMaxStates> targets;
  bool are_outputs = !call.accumulate;
  for (size_t state = 0; state < accumulator.num_states(); ++state) {
    targets[state] = dense_at(views[static_cast<size_t>(num_inputs) + state]);
    are_outputs = are_outputs && targets[state] != nullptr;
  }
  for (size_t state = 0; !are_outputs && state < accumulator.num_states(); ++state) {
    targets[state] = accumulator.state(state);
  }
  return targets;
}

/// One row in several blocks, or in none.
Status BlockedEvaluator::Run::reduce_row(BlockLoop& loop, void* const* targets) {
  StateAddresses states;
  rows[0].begin();
  for (bool goes_on = !space.is_empty(); goes_on;) {
    const int64_t count = block.count();
    look(count, 1);
    if (const Status status = compute_states(count, states); status != Status::ok) {
      return status;
    }
    rows[0].add(states.data(), count);
    goes_on = loop.advance(block, origins.data());
  }
  rows[0].finish(targets);
  return Status::ok;
}

/// Whether the elements of a row, which is more than one block, lie side by side.
bool BlockedEvaluator::Run::has_stored_rows() {
  StateAddresses states;
  look(block.count(), 1);
  return block.num_dims == 1 && block.label[0] == space.num_labels - 1 && stored().find(states);
}

/// Rows of stored states that are folded together: short ones that are parts of longer ones, whose
/// other parts are far away.
int64_t BlockedEvaluator::Run::rows_together() const {
  constexpr int64_t kBytesTogether = int64_t{64} << 10;
  const auto last = static_cast<size_t>(space.num_labels - 1);
  const int64_t bytes = space.length[last] * space.streams[0].unit();
  const bool is_whole = space.num_reduced() == space.length[last];
  return is_whole ? 1 : std::clamp<int64_t>(kBytesTogether / bytes, 1, evaluator.rows_together_);
}

/// Results side by side along the last kept label are stored together.
Status BlockedEvaluator::Run::reduce_stored_rows() {
  const int beside = space.num_out - 1;
  const int64_t length = beside < 0 ? 1 : space.length[static_cast<size_t>(beside)];
  const auto together = std::span(rows).first(static_cast<size_t>(rows_together()));
  BlockShape side_by_side;
  side_by_side.num_dims = beside < 0 ? 0 : 1;
  side_by_side.label[0] = beside;
  for (size_t output = 0; output < call.outputs.size(); ++output) {
    BlockView& view = views[static_cast<size_t>(num_inputs) + output];
    view = {view.stream, &side_by_side, side_by_side.num_dims};
  }
  BlockLoop results(space, block, 0, std::max(beside, 0));
  results.start(block);
  do {
    for (int64_t first = 0; first < length; first += kBlock) {
      const int64_t count = std::min(kBlock, length - first);
      side_by_side.extent[0] = count;
      look(block.count(), count);
      const std::array<void*, kMaxStates> targets = row_targets();
      fold_rows_beside(
          stored(), space, block, origins.data(), together, beside, count,
          [this] { look(block.count(), 1); }, targets, accumulator);
      const bool is_stored = targets[0] != accumulator.state(0);
      if (const Status status = is_stored ? Status::ok : store_results(count);
          status != Status::ok) {
        return status;
      }
      move_along(space, beside, count, origins.data());
    }
    move_along(space, beside, -length, origins.data());
  } while (results.advance(block, origins.data()));
  return Status::ok;
}

/// Rows of which the code gives states of blocks.
Status BlockedEvaluator::Run::reduce_merged_rows() {
  MergedRow row{space, block, origins.data(), views.data(), num_inputs, machine, staging};
  BlockLoop results(space, block, 0, space.num_out);
  results.start(block);
  do {
    look(block.count(), 1);
    const std::array<void*, kMaxStates> targets = row_targets();
    rows[0].begin();
    if (const Status status = row.merge_into(rows[0]); status != Status::ok) {
      return status;
    }
    rows[0].finish(targets.data());
    const bool is_stored = targets[0] != accumulator.state(0);
    if (const Status stored = is_stored ? Status::ok : store_results(1); stored != Status::ok) {
      return stored;
    }
  } while (results.advance(block, origins.data()));
  return Status::ok;
}

Status BlockedEvaluator::Run::reduce_rows() {
  BlockLoop results(space, block, 0, space.num_out);
  BlockLoop reduced(space, block, space.num_out, space.num_labels);
  const int64_t part = block.count() / block.out_lanes();
  const bool has_whole_rows = part == space.num_reduced();
  StateAddresses states;
  results.start(block);
  reduced.start(block);
  if (!has_whole_rows && !space.is_empty() && has_stored_rows()) {
    return reduce_stored_rows();
  }
  do {
    reduced.start(block);
    const int64_t num_rows = block.out_lanes();
    look(block.count(), num_rows);
    const std::array<void*, kMaxStates> targets = row_targets();
    Status status = Status::ok;
    if (has_whole_rows) {
      status = compute_states(block.count(), states);
      if (status == Status::ok) {
        rows[0].fold(states.data(), num_rows, part, targets.data());
      }
    } else {
      status = reduce_row(reduced, targets.data());
    }
    const bool is_stored = targets[0] != accumulator.state(0);
    status = status == Status::ok && !is_stored ? store_results(num_rows) : status;
    if (status != Status::ok) {
      return status;
    }
  } while (results.advance(block, origins.data()));
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
