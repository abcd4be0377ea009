#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// A run as Chrome trace events (JSON, for chrome://tracing or Perfetto): one bar per task, one row
/// per worker of every process, times in microseconds; each bar carries the task's number, flops,
/// bytes and estimate. Bars of a row never overlap: what a process moves at the same time has rows
/// side by side. Of a plan in frames, one after the other.
class Trace {
 public:
  /// Adds the run of a plan, or of the next of its frames.
  void add(const plan::TaskGraph& graph, const runtime::RunReport& report);

  std::string text() const;

 private:
  /// A task as it ran; times in nanoseconds, so that one ends exactly where the next begins.
  struct Bar {
    int32_t process = 0;
    int32_t worker = 0;
    bool is_move = false;
    int64_t begin = 0;
    int64_t end = 0;
    nlohmann::ordered_json event;  // all but its row
  };
  struct Row;

  std::vector<Row> rows() const;

  std::vector<Bar> bars_;
  double seconds_ = 0;  // of the frames so far
};

}  // namespace tessera::engine
