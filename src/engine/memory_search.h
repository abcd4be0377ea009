#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/einsum/sweep.h"
#include "optimizer/partition/options.h"
#include "optimizer/partition/partition.h"
#include "plan/paging.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// The stages behind the choice of cuts.
struct Lowered {
  optimizer::GraphPartition partition;
  tra::Graph relations;
  ia::Graph placed;
  std::optional<plan::TaskGraph> tasks;    // none for more than one site
  std::vector<optimizer::Reason> reasons;  // why statements were not fused
};

/// What is asked of the cuts so that less is in memory at once; by default nothing.
struct MemoryDemand {
  std::optional<int64_t> most_call_bytes;  // that the tiles of one kernel call may take
  std::vector<optimizer::Slice> slices;    // labels to be cut wherever they flow
  friend bool operator==(const MemoryDemand&, const MemoryDemand&) = default;
};

/// Cuts and lowers a program as is asked, as it runs best otherwise. Nothing where no cut keeps the
/// bound, or where it would make more tasks than a plan may have.
using LowerWithin = std::function<std::optional<Lowered>(const MemoryDemand&)>;

/// The ways to slice a program so that a statement's intermediates take no more than so many bytes
/// (optimizer/partition/slicing.h).
using WaysToSlice = std::function<std::vector<std::vector<optimizer::Slice>>(int64_t most_bytes)>;

/// What a budget makes a plan page on so many workers: about what one of them pages under the part
/// of the budget that the others' tasks leave. REQUIRES the plan fits the budget.
plan::Paging expected_paging(const plan::TaskGraph& graph, int64_t budget, int64_t workers);

/// When a plan is expected to end: its tasks on so many workers, and what is paged. Infinite where
/// the plan does not fit the budget.
double expected_seconds(const plan::TaskGraph& graph, int64_t budget, int64_t workers);

/// The coarsest cuts under which the plan runs well in the budget: nothing is paged, or each worker
/// has room for a task and one more is being fetched. Where no cuts give that, those that need
/// least. If that plan would spill intermediates, labels are sliced instead where a plan is then
/// expected to end sooner.
///
/// Bounds are powers of two, whatever the budget is, so that there is one smallest budget for a
/// program: every larger one succeeds too. Where the budget is below that, the plan is the one of
/// the smallest budget.
Lowered lower_within_budget(const LowerWithin& lower, const WaysToSlice& ways_to_slice,
                            int64_t budget, int64_t workers);

}  // namespace tessera::engine
