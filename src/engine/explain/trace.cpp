#include "engine/explain/trace.h"

#include <utility>

#include "engine/explain/profile.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;

Json event_of(const plan::TaskInfo& task, int64_t number, double begin,
              const runtime::TaskTiming& timing) {
  return {{"name", task.origin->statement},
          {"cat", work_of(task)},
          {"ph", "X"},
          {"pid", 0},
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

Json name_of_row(int32_t worker) {
  return {{"name", "thread_name"},
          {"ph", "M"},
          {"pid", 0},
          {"tid", worker},
          {"args", {{"name", "worker " + std::to_string(worker)}}}};
}

}  // namespace

void Trace::add(const plan::TaskGraph& graph, const runtime::RunReport& report) {
  for (size_t task = 0; task < report.tasks.size(); ++task) {
    workers_.insert(report.tasks[task].worker);
    events_.push_back(event_of(graph.tasks[task], num_tasks_++, seconds_, report.tasks[task]));
  }
  seconds_ += report.seconds;
}

std::string Trace::text() const {
  Json events = events_;
  for (const int32_t worker : workers_) {
    events.push_back(name_of_row(worker));
  }
  return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace tessera::engine
