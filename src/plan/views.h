#pragma once

#include <vector>

#include "ir/tra/graph.h"
#include "plan/lineage.h"
#include "plan/task_graph.h"

namespace tessera::plan {

/// A tuple's arrays under a new type and key: the same bytes, their places counted as the type
/// says.
std::vector<View> rebased(const TaskGraph& graph, std::vector<View> columns,
                          const tra::RelationType& type, const Key& key);

/// The part of a view that covers `box` of its reader's coordinates.
View narrowed(const TaskGraph& graph, const View& view, const Box& box);

}  // namespace tessera::plan
