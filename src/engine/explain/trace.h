#pragma once

#include <string>

#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// A run as Chrome trace events (JSON, for chrome://tracing or Perfetto): one bar per task, one row
/// per worker, times in microseconds; each bar carries the task's number, flops, bytes and
/// estimate.
std::string trace_of(const plan::TaskGraph& graph, const runtime::RunReport& report);

}  // namespace tessera::engine
