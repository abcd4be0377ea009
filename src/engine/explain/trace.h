#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "plan/task_graph.h"
#include "runtime/executor.h"

namespace tessera::engine {

/// A run as Chrome trace events (JSON, for chrome://tracing or Perfetto): one bar per task, one row
/// per worker of every process, times in microseconds; each bar carries the task's number, flops,
/// bytes and estimate. Bars of a row never overlap: simultaneous moves of a process have several
/// rows. Frames of a plan come one after the other.
class Trace {
 public:
  /// Adds the run of a plan, or of the next of its frames.
  void add(const plan::TaskGraph& graph, const runtime::RunReport& report);

  std::string text() const;

 private:
  /// A task that ran; times in nanoseconds, so that one ends exactly where the next begins.
  struct Bar {
    int32_t process = 0;
    int32_t worker = 0;
    bool is_move = false;
    int64_t begin = 0;
    int64_t end = 0;
    nlohmann::ordered_json event;  // without its row
  };
  /// Bars of one thread that do not overlap.
  struct Row {
    int32_t process = 0;
    int64_t number = 0;  // of the first row of a thread: the thread's
    std::string name;
    int64_t end = 0;           // of its last bar
    std::vector<size_t> bars;  // in the order of beginning
  };

  using Thread = std::pair<int32_t, int32_t>;  // process and worker

  std::map<Thread, std::vector<Row>> rows_by_thread() const;
  std::vector<Row> rows() const;  // with their numbers and names

  std::vector<Bar> bars_;
  double seconds_ = 0;  // of the frames so far
};

}  // namespace tessera::engine
