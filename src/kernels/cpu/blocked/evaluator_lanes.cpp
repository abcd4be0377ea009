#include <algorithm>
#include <array>
#include <optional>

#include "kernels/cpu/blocked/evaluator_run.h"

/// Reductions whose blocks hold positions of several results, lane by lane.
namespace tessera::kernels {

/// Returns the columns of the current block, if it can be merged in place.
std::optional<BlockedEvaluator::Run::StoredColumns> BlockedEvaluator::Run::stored_columns() {
  StateAddresses states;
  if (!accumulator.has_columns()) {
    return std::nullopt;
  }
  if (stored().find(states)) {
    return StoredColumns{stored(), nullptr, evaluator.reduction_->is_exact()};
  }
  const StoredStates made(evaluator.program_, machine, views.data(), true);
  const MergedFunction* const function = evaluator.merged_columns_;
  if (function == nullptr || !made.find(states)) {
    return std::nullopt;
  }
  return StoredColumns{made, function->merged_columns,
                       static_cast<double>(space.num_reduced()) <= function->exact_elements};
}

Status BlockedEvaluator::Run::reduce_block(BlockLoop& loop) {
  loop.start(block);
  accumulator.begin(block.count(), block.out_lanes());
  const bool is_empty = space.is_empty();
  StateAddresses states;
  look(block.count(), block.out_lanes());
  if (const std::optional<StoredColumns> found = is_empty ? std::nullopt : stored_columns()) {
    accumulator.merge_first_by(found->merge_first);
    accumulator.set_exact(found->is_exact);
    const Status status = accumulate_stored(
        found->states, loop, block, origins.data(), accumulator,
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

/// Turns blocks into rows of results along the last kept label, if they and their operands are
/// contiguous and long enough; else leaves blocks unchanged.
bool BlockedEvaluator::Run::take_columns() {
  constexpr int64_t kShortest = 512;  // bytes
  if (evaluator.columns_width_ == 0 || space.is_empty() ||
      num_columns(space, block) * accumulator.size(0) < kShortest) {
    return false;
  }
  const BlockShape chosen = block;
  set_dims(1, 1);
  look(block.count(), block.count());
  const bool are_dense =
      std::all_of(views.begin() + num_inputs, views.begin() + space.num_streams,
                  [](const BlockView& output) { return dense_at(output) != nullptr; });
  if (are_dense && stored_columns()) {
    return true;
  }
  set_dims(chosen.num_dims, chosen.num_out_dims);
  return false;
}

void BlockedEvaluator::Run::set_dims(int num_dims, int num_out_dims) {
  block.num_dims = num_dims;
  block.num_out_dims = num_out_dims;
  for (int number = 0; number < space.num_streams; ++number) {
    views[static_cast<size_t>(number)].num_dims = number < num_inputs ? num_dims : num_out_dims;
  }
}

/// Reduces rows of many results at once, so that memory is walked in order.
void BlockedEvaluator::Run::reduce_columns() {
  const int beside = space.num_out - 1;
  const int64_t length = space.length[static_cast<size_t>(beside)];
  const StoredColumns found = *stored_columns();
  columns.merge_first_by(found.merge_first, found.is_exact);
  BlockLoop results(space, block, 0, beside);
  results.start(block);
  do {
    for (int64_t first = 0; first < length; first += evaluator.columns_width_) {
      const int64_t count = std::min(evaluator.columns_width_, length - first);
      block.extent[0] = count;
      look(count, count);
      std::array<void*, kMaxStates> targets;
      for (size_t state = 0; state < call.outputs.size(); ++state) {
        targets[state] = dense_at(views[static_cast<size_t>(num_inputs) + state]);
      }
      columns.begin(count);
      merge_columns(found.states, space, block, origins.data(), columns,
                    [this, count] { look(count, count); });
      columns.finish(targets.data(), call.accumulate);
      move_along(space, beside, count, origins.data());
    }
    move_along(space, beside, -length, origins.data());
  } while (results.advance(block, origins.data()));
}

Status BlockedEvaluator::Run::reduce() {
  if (take_columns()) {
    reduce_columns();
    return Status::ok;
  }
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

}  // namespace tessera::kernels
