#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// A run as Chrome trace events (JSON, for chrome://tracing or Perfetto): one bar per task, one row
/// per worker of every process, times in microseconds; each bar carries the task's number, flops,
/// bytes and estimate. Of a plan in frames, one after the other.
class Trace {
 public:
  /// Adds the run of a plan, or of the next of its frames.
  void add(const plan::TaskGraph& graph, const runtime::RunReport& report);

  std::string text() const;

 private:
  nlohmann::ordered_json events_ = nlohmann::ordered_json::array();
  std::map<int32_t, std::set<int32_t>> workers_;  // by process
  int64_t num_tasks_ = 0;
  double seconds_ = 0;  // of the frames so far
};

}  // namespace tessera::engine
