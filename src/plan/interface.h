#pragma once

#include <map>
#include <string>

#include "plan/task_graph.h"

namespace tessera::plan {

/// The tensors a plan reads, by name: as large as the boxes that its tasks read.
/// Errors: `unsupported` for one that gives rows.
std::map<std::string, ArrayType> sources_of(const TaskGraph& graph);

}  // namespace tessera::plan
