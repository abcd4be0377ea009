#pragma once

#include <vector>

#include "plan/lineage.h"
#include "plan/task_builder.h"

namespace tessera::plan {

/// Adds the tasks that merge some tuples of one group into one, in the aggregate's order, and
/// returns the merged arrays; for a single tuple these are its own.
///
/// `type` is that of the aggregate's result, `group` the key of the result. The arrays of the
/// tuples lie where that key says.
std::vector<View> add_merge(TaskBuilder& tasks, const tra::Aggregate& aggregate,
                            const tra::RelationType& type, const Key& group,
                            const std::vector<std::vector<View>>& tuples);

/// Adds the tasks that merge tuples which nothing else reads: into the first, one after the other.
std::vector<View> merge_in_place(TaskBuilder& tasks, const tra::Aggregate& aggregate,
                                 const tra::RelationType& type, const Key& group,
                                 const std::vector<std::vector<View>>& tuples);

}  // namespace tessera::plan
