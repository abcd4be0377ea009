#include "engine/explain/trace.h"

#include <utility>

#include "engine/explain/profile.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;

Json event_of(const plan::TaskInfo& task, int64_t number, int32_t process, double begin,
              const runtime::TaskTiming& timing) {
  return {{"name", task.origin->statement},
          {"cat", work_of(task)},
          {"ph", "X"},
          {"pid", process},
          {"tid", timing.worker},
          {"ts", kMicroseconds * (begin + timing.start)},
          {"dur", kMicroseconds * timing.seconds},
          {"args",
           {{"task", number},
            {"work", work_of(task)},
            {"source", to_string(task.origin)},
            {"flops", task.flops},
            {"bytes", task.bytes},
            {"estimated_seconds", task.seconds}}}};
}

Json name_of_row(int32_t process, int32_t worker) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", process},
          {"tid", worker},
          {"args", {{"name", "worker " + std::to_string(worker)}}}};
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
    const int32_t process = graph.spaces[graph.space_of(info).index()].process;
    workers_[process].insert(report.tasks[task].worker);
    events_.push_back(event_of(info, num_tasks_++, process, seconds_, report.tasks[task]));
  }
  seconds_ += report.seconds;
}

std::string Trace::text() const {
  Json events = events_;
  for (const auto& [process, workers] : workers_) {
    if (workers_.size() > 1) {
      events.push_back(name_of_process(process));
    }
    for (const int32_t worker : workers) {
      events.push_back(name_of_row(process, worker));
    }
  }
  return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace tessera::engine
