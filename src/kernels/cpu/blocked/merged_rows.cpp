#include "kernels/cpu/blocked/merged_rows.h"

#include <algorithm>
#include <string>

#include "expr/function_ids.h"
#include "kernels/cpu/blocked/loop.h"
#include "kernels/cpu/walk/state_function.h"

namespace tessera::kernels {

namespace {

static_assert(generated::kMergedBlock == kBlock && generated::kMergedLanes == kFoldLanes,
              "code merges in the order of RowAccumulator");

/// The most elements of a call of code, whose states then are a part of a block.
constexpr int64_t kMergedAtOnce = 32 * kBlock;

}  // namespace

std::optional<generated::Operation> merge_in_code(const expr::Monoid& monoid) {
  if (is_bool(monoid.state[0]) || !generated::is_generated(compute_type(monoid.state[0]))) {
    return std::nullopt;
  }
  const std::optional<std::string> function = merging_function_of(monoid, 0);
  return function == expr::id::kAdd        ? std::optional(generated::Operation::add)
         : function == expr::id::kMultiply ? std::optional(generated::Operation::multiply)
         : function == expr::id::kMinimum  ? std::optional(generated::Operation::minimum)
         : function == expr::id::kMaximum  ? std::optional(generated::Operation::maximum)
                                           : std::nullopt;
}

void MergedRow::look(int64_t count) noexcept {
  block.extent[0] = count;
  for (int stream = 0; stream < num_inputs; ++stream) {
    views[stream].origin = origins[stream];
    views[stream].count = count;
  }
}

bool MergedRow::lies_in_place() const noexcept {
  return std::all_of(views, views + num_inputs,
                     [](const BlockView& view) { return is_uniform(view) || in_place(view); });
}

/// Merges many blocks at once if they lie in memory, else one after the other.
Status MergedRow::merge_innermost(RowAccumulator& row) noexcept {
  const int label = space.num_labels - 1;
  const int64_t length = space.length[static_cast<size_t>(label)];
  int64_t most = kBlock;
  if (length > kBlock && machine.computes_result_alone()) {
    look(std::min(length - length % kBlock, kMergedAtOnce));
    most = lies_in_place() ? kMergedAtOnce : kBlock;
  }
  for (int64_t done = 0; done < length;) {
    const int64_t rest = length - done;
    const int64_t count = rest < kBlock ? rest : std::min(rest - rest % kBlock, most);
    look(count);
    if (const Status status = machine.run(views, count, nullptr, staging); status != Status::ok) {
      return status;
    }
    row.add_merged(machine.result(0), count);
    move_along(space, label, count, origins);
    done += count;
  }
  move_along(space, label, -length, origins);
  return Status::ok;
}

Status MergedRow::merge_into(RowAccumulator& row) noexcept {
  BlockLoop outer(space, block, space.num_out, space.num_labels - 1);
  outer.start(block);
  do {
    if (const Status status = merge_innermost(row); status != Status::ok) {
      return status;
    }
  } while (outer.advance(block, origins));
  return Status::ok;
}

}  // namespace tessera::kernels
