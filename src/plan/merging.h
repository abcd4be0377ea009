#pragma once

#include <vector>

#include "plan/lineage.h"
#include "plan/task_builder.h"

namespace tessera::plan {

/// Adds the tasks that merge some tuples of one group into one, in the order that the aggregate
/// says, and gives its arrays: those of the tuple itself where it is the only one.
///
/// `type` is that of the aggregate's result, `group` the key of the result, and the arrays of the
/// tuples lie where that key says.
std::vector<View> add_merge(TaskBuilder& tasks, const tra::Aggregate& aggregate,
                            const tra::RelationType& type, const Key& group,
                            const std::vector<std::vector<View>>& tuples);

/// The same for tuples that nothing else reads: they are merged into the first, one after the
/// other.
std::vector<View> merge_in_place(TaskBuilder& tasks, const tra::Aggregate& aggregate,
                                 const tra::RelationType& type, const Key& group,
                                 const std::vector<std::vector<View>>& tuples);

}  // namespace tessera::plan
