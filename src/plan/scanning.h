#pragma once

#include <functional>

#include "plan/lineage.h"
#include "plan/task_builder.h"

namespace tessera::plan {

/// Adds the tasks of a scan over tuples, each from the result before it and the tuple there, and
/// gives the results that `is_needed`: the first is the identity, the second the first tuple
/// itself.
///
/// `type` is that of the relation; `tuples` has every tuple that some needed result merges.
Lineage add_scan(TaskBuilder& tasks, const tra::Scan& scan, const tra::RelationType& type,
                 const Lineage& tuples, const std::function<bool(const Key&)>& is_needed);

}  // namespace tessera::plan
