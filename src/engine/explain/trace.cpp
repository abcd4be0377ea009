#include "engine/explain/trace.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "engine/explain/profile.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kNanoseconds = 1e9;
constexpr double kNanosecondsOfMicrosecond = 1e3;

Json event_of(const plan::TaskInfo& task, size_t number, int32_t process, int64_t begin,
              int64_t end) {
  return {{"name", task.origin->statement},
          {"cat", work_of(task)},
          {"ph", "X"},
          {"pid", process},
          {"ts", static_cast<double>(begin) / kNanosecondsOfMicrosecond},
          {"dur", static_cast<double>(end - begin) / kNanosecondsOfMicrosecond},
          {"args",
           {{"task", number},
            {"work", work_of(task)},
            {"source", to_string(task.origin)},
            {"flops", task.flops},
            {"bytes", task.bytes},
            {"estimated_seconds", task.seconds}}}};
}

Json name_of_row(int32_t process, int64_t row, const std::string& name) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", process},
          {"tid", row},
          {"args", {{"name", name}}}};
}

Json name_of_process(int32_t process) {
  return {{"name", "process_name"},
          {"ph", "M"},
          {"pid", process},
          {"args", {{"name", "process " + std::to_string(process)}}}};
}

}  // namespace

void Trace::add(const plan::TaskGraph& graph, const runtime::RunReport& report) {
  for (size_t task = 0; task < report.tasks.size(); ++task) {
    const plan::TaskInfo& info = graph.tasks[task];
    const runtime::TaskTiming& timing = report.tasks[task];
    const int32_t process = graph.spaces[graph.space_of(info).index()].process;
    const double begin = seconds_ + timing.start;
    const int64_t first = std::llround(kNanoseconds * begin);
    const int64_t last =
        std::max<int64_t>(first, std::llround(kNanoseconds * (begin + timing.seconds)));
    bars_.push_back({process, timing.worker, info.kind == plan::TaskKind::move, first, last,
                     event_of(info, bars_.size(), process, first, last)});
  }
  seconds_ += report.seconds;
}

/// Returns the rows of every thread: one, and more if its bars overlap. Each bar goes to the first
/// free row.
std::map<Trace::Thread, std::vector<Trace::Row>> Trace::rows_by_thread() const {
  std::vector<size_t> order(bars_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return bars_[a].begin < bars_[b].begin; });
  std::map<Thread, std::vector<Row>> of_thread;
  for (const size_t number : order) {
    const Bar& bar = bars_[number];
    std::vector<Row>& rows = of_thread[{bar.process, bar.worker}];
    auto row = std::find_if(rows.begin(), rows.end(),
                            [&](const Row& other) { return other.end <= bar.begin; });
    if (row == rows.end()) {
      row = rows.insert(row, Row{bar.process, 0, "", 0, {}});
    }
    row->end = bar.end;
    row->bars.push_back(number);
  }
  return of_thread;
}

std::vector<Trace::Row> Trace::rows() const {
  std::map<int32_t, int64_t> num_threads;  // by process
  for (const Bar& bar : bars_) {
    num_threads[bar.process] = std::max<int64_t>(num_threads[bar.process], bar.worker + 1);
  }
  const auto is_move = [&](size_t bar) { return bars_[bar].is_move; };
  std::vector<Row> all;
  for (auto& [thread, rows] : rows_by_thread()) {
    const auto [process, worker] = thread;
    const bool moves = std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
      return std::all_of(row.bars.begin(), row.bars.end(), is_move);
    });
    const std::string name = moves ? "moves" : "worker " + std::to_string(worker);
    int64_t lane = 0;
    for (Row row : rows) {
      row.number = worker + lane * num_threads[process];
      row.name = lane == 0 ? name : name + " (" + std::to_string(lane + 1) + ")";
      all.push_back(std::move(row));
      ++lane;
    }
  }
  return all;
}

std::string Trace::text() const {
  const std::vector<Row> all = rows();
  Json events = Json::array();
  for (const Bar& bar : bars_) {
    events.push_back(bar.event);
  }
  std::set<int32_t> processes;
  for (const Row& row : all) {
    processes.insert(row.process);
    for (const size_t bar : row.bars) {
      events[bar]["tid"] = row.number;
    }
    events.push_back(name_of_row(row.process, row.number, row.name));
  }
  for (const int32_t process : processes) {
    if (processes.size() > 1) {
      events.push_back(name_of_process(process));
    }
  }
  return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace tessera::engine
