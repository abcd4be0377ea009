#pragma once

#include <string>
#include <vector>

#include "ir/ia/graph.h"
#include "plan/lineage.h"
#include "plan/task_builder.h"

namespace tessera::plan {

/// Adds a sink of that name and the tasks that write a relation to it: key dimensions that count no
/// mode's pieces come first, then the modes. Errors: `user` for tuples of several arrays, and for a
/// tuple that a filter or an input leaves out.
void add_result(TaskBuilder& tasks, const std::string& name, const tra::RelationType& type,
                const Lineage& lineage);

/// Returns the tensors that the tasks of a graph will write, in the order of its outputs. Errors:
/// `user` for tuples of several arrays.
std::vector<SinkInfo> results_of(const ia::Graph& graph);

}  // namespace tessera::plan
