#include <algorithm>
#include <array>
#include <span>

#include "kernels/cpu/blocked/evaluator_run.h"
#include "kernels/cpu/blocked/merged_rows.h"

/// Reductions whose blocks hold whole rows, or a part of one.
namespace tessera::kernels {

/// Returns the targets of the rows' results: the outputs themselves, if all can be written there.
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

/// Reduces one row in several blocks, or in none.
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

/// True if the elements of a row of more than one block are contiguous.
bool BlockedEvaluator::Run::has_stored_rows() {
  StateAddresses states;
  look(block.count(), 1);
  return block.num_dims == 1 && block.label[0] == space.num_labels - 1 && stored().find(states);
}

/// Returns the rows of stored states that are folded together: short ones that are parts of longer
/// ones, whose other parts are far away.
int64_t BlockedEvaluator::Run::rows_together() const {
  constexpr int64_t kBytesTogether = int64_t{256} << 10;
  const auto last = static_cast<size_t>(space.num_labels - 1);
  const int64_t bytes = space.length[last] * space.streams[0].unit();
  const bool is_whole = space.num_reduced() == space.length[last];
  return is_whole ? 1 : std::clamp<int64_t>(kBytesTogether / bytes, 1, evaluator.rows_together_);
}

/// Reduces rows in place. Results side by side along the last kept label are stored together.
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

/// Reduces rows whose blocks generated code merges.
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

}  // namespace tessera::kernels
