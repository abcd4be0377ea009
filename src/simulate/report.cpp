#include "simulate/report.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"

namespace tessera::simulate {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kKinds = {ActivityKind::compute, ActivityKind::move, ActivityKind::read,
                               ActivityKind::write};

Json cluster_json(const Cluster& cluster) {
  return {{"sites", cluster.num_sites()},
          {"cores", cluster.num_cores()},
          {"latency_seconds", cluster.network.latency_seconds},
          {"link_efficiency", cluster.network.efficiency},
          {"moves_at_once", cluster.network.moves_at_once}};
}

Json bounds_json(const Bounds& bounds) {
  return {{"seconds", bounds.largest()},
          {"critical_path_seconds", bounds.critical_path},
          {"work_seconds", bounds.work},
          {"busiest_cores_seconds", bounds.busiest_cores},
          {"busiest_link_seconds", bounds.busiest_link},
          {"busiest_disk_seconds", bounds.busiest_disk}};
}

Json path_json(const CriticalPath& path) {
  Json json = {{"activities", path.activities.size()}};
  for (const ActivityKind kind : kKinds) {
    json[std::string(name_of(kind)) + "_seconds"] = path.seconds[static_cast<size_t>(kind)];
  }
  json["slowed_seconds"] = path.slowed_seconds;
  json["waiting_for_core_seconds"] = path.waiting_for_core_seconds;
  json["waiting_for_link_seconds"] = path.waiting_for_link_seconds;
  return json;
}

Json site_json(const SiteFigures& figures, const ClusterSite& site) {
  Json json = {{"tasks", figures.num_activities}, {"cores", site.cores}};
  for (const ActivityKind kind : kKinds) {
    json[std::string(name_of(kind)) + "_seconds"] = figures.busy_seconds[static_cast<size_t>(kind)];
  }
  json["core_seconds"] = figures.core_seconds;
  json["bytes_in"] = figures.bytes_in;
  json["bytes_out"] = figures.bytes_out;
  json["peak_bytes"] = figures.peak_bytes;
  json["paged_bytes"] = figures.paged_bytes;
  json["memory_bytes"] = site.memory_bytes;
  return json;
}

/// The rows of one site. Each activity takes the first free one.
class Rows {
 public:
  /// Returns the row of a period. REQUIRES activities in the order of their starts.
  size_t row_of(const Period& period) {
    for (size_t row = 0; row < free_from_.size(); ++row) {
      if (free_from_[row] <= period.start) {
        free_from_[row] = period.end;
        return row;
      }
    }
    free_from_.push_back(period.end);
    return free_from_.size() - 1;
  }

 private:
  std::vector<double> free_from_;
};

constexpr size_t kFirstMoveRow = 100'000;  // no site has so many cores

Json event_of(const ActivityInfo& activity, size_t number, const Period& period, size_t row) {
  constexpr double kMicroseconds = 1e6;
  Json arguments = {{"task", number}, {"work", *activity.work}, {"bytes", activity.bytes}};
  if (activity.kind == ActivityKind::move) {
    arguments["from"] = activity.from;
  }
  return {{"name", *activity.name},
          {"cat", name_of(activity.kind)},
          {"ph", "X"},
          {"pid", activity.site},
          {"tid", row},
          {"ts", kMicroseconds * period.start},
          {"dur", kMicroseconds * (period.end - period.start)},
          {"args", std::move(arguments)}};
}

Json name_event(const char* what, size_t site, size_t row, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", site}, {"tid", row}, {"args", {{"name", name}}}};
}

std::vector<size_t> by_start(const std::vector<Period>& periods) {
  std::vector<size_t> order(periods.size());
  for (size_t number = 0; number < order.size(); ++number) {
    order[number] = number;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return periods[a].start < periods[b].start; });
  return order;
}

}  // namespace

std::string_view name_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::compute:
      return "compute";
    case ActivityKind::move:
      return "move";
    case ActivityKind::read:
      return "read";
    case ActivityKind::write:
      return "write";
    case ActivityKind::barrier:
      return "barrier";
  }
  fail_check(__FILE__, __LINE__, "kind", "an activity of no kind");
}

std::string json_report(const Simulation& simulation, const Cluster& cluster) {
  Json json = {{"cluster", cluster_json(cluster)},
               {"makespan_seconds", simulation.makespan},
               {"moves", simulation.num_moves},
               {"moved_bytes", simulation.moved_bytes},
               {"lower_bound", bounds_json(simulation.bounds)},
               {"critical_path", path_json(simulation.critical_path)}};
  json["by_site"] = Json::array();
  for (size_t site = 0; site < simulation.sites.size(); ++site) {
    json["by_site"].push_back(site_json(simulation.sites[site], cluster.sites[site]));
  }
  return json.dump(2);
}

std::string trace_of(const Simulation& simulation, const std::vector<ActivityInfo>& activities) {
  const std::vector<Period>& periods = simulation.played.periods;
  std::vector<Rows> cores(simulation.sites.size());
  std::vector<Rows> moves(simulation.sites.size());
  Json events = Json::array();
  for (const size_t number : by_start(periods)) {
    const ActivityInfo& activity = activities[number];
    if (activity.kind == ActivityKind::barrier) {
      continue;
    }
    const auto site = static_cast<size_t>(activity.site);
    const size_t row = activity.kind == ActivityKind::move
                           ? kFirstMoveRow + moves[site].row_of(periods[number])
                           : cores[site].row_of(periods[number]);
    events.push_back(event_of(activity, number, periods[number], row));
  }
  for (size_t site = 0; site < simulation.sites.size(); ++site) {
    events.push_back(name_event("process_name", site, 0, fmt::format("site s{}", site)));
    events.push_back(name_event("thread_name", site, kFirstMoveRow, "arrives"));
  }
  return Json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace tessera::simulate
