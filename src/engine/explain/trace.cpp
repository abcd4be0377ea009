#include "engine/explain/trace.h"

#include <set>

#include <nlohmann/json.hpp>

#include "engine/explain/profile.h"

namespace tessera::engine {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;

Json event_of(const plan::TaskInfo& task, int64_t number, const runtime::TaskTiming& timing) {
  return {{"name", task.origin->statement},
          {"cat", work_of(task)},
          {"ph", "X"},
          {"pid", 0},
          {"tid", timing.worker},
          {"ts", kMicroseconds * timing.start},
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

std::string trace_of(const plan::TaskGraph& graph, const runtime::RunReport& report) {
  Json events = Json::array();
  std::set<int32_t> workers;
  for (size_t task = 0; task < report.tasks.size(); ++task) {
    workers.insert(report.tasks[task].worker);
    events.push_back(event_of(graph.tasks[task], static_cast<int64_t>(task), report.tasks[task]));
  }
  for (const int32_t worker : workers) {
    events.push_back(name_of_row(worker));
  }
  return Json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace tessera::engine
