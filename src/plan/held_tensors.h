#pragma once

#include <string>
#include <vector>

#include "plan/task_graph.h"

namespace tessera::plan {

/// Returns, by tile, the tensor whose elements it holds, for messages. A tile that is pasted or
/// moved for a statement belongs to that statement's relation, but holds elements of another one.
std::vector<Shared<std::string>> tensors_held(const TaskGraph& graph);

}  // namespace tessera::plan
