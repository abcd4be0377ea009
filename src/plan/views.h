#pragma once

#include <vector>

#include "ir/tra/graph.h"
#include "plan/lineage.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// Returns a tuple's arrays under a new type and key: the same bytes, with their places by the
/// type.
std::vector<View> rebased(const TaskGraph& graph, std::vector<View> columns,
                          const tra::RelationType& type, const Key& key);

/// Returns the part of a view that covers `box` in its reader's coordinates.
View narrowed(const TaskGraph& graph, const View& view, const Box& box);

}  // namespace tessera::plan
