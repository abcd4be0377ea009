#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "optimizer/partition/partition.h"
#include "optimizer/sweep.h"
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

/// Cuts and lowers a program so that the tiles of one kernel call take no more than so many bytes;
/// without a bound as it runs best. Nothing where no cut keeps the bound, or where it would make
/// more tasks than a plan may have.
using LowerWithin = std::function<std::optional<Lowered>(std::optional<int64_t> most_call_bytes)>;

/// The coarsest cuts under which the plan runs well in the budget: nothing is paged, or each worker
/// has room for a task and one more is being fetched. Where no cuts give that, those that need
/// least.
///
/// Bounds are powers of two, whatever the budget is, so that there is one smallest budget for a
/// program: every larger one succeeds too. Errors: `resource`, with that smallest budget and the
/// statement to blame.
Lowered lower_within_budget(const LowerWithin& lower, int64_t budget, int64_t workers);

}  // namespace tessera::engine
