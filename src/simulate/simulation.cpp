#include "simulate/simulation.h"

#include <algorithm>
#include <utility>

namespace tessera::simulate {

namespace {

size_t number_of(ActivityKind kind) {
  return static_cast<size_t>(kind);
}

double duration(const Period& period) {
  return period.end - period.start;
}

/// Returns the time that an activity, over its period, had of the cores and the disk of its site.
double busy_seconds_of(const ActivityInfo& activity, const Period& period, const Cluster& cluster) {
  const bool is_of_file =
      activity.kind == ActivityKind::read || activity.kind == ActivityKind::write;
  return is_of_file ? duration(period) : core_seconds_of(activity, cluster);
}

void add_sites(Simulation& simulation, const Workload& workload, const Cluster& cluster) {
  simulation.sites.resize(simulation.played.peak_bytes.size());
  for (size_t number = 0; number < workload.activities.size(); ++number) {
    const ActivityInfo& activity = workload.activities[number];
    SiteFigures& site = simulation.sites[static_cast<size_t>(activity.site)];
    site.busy_seconds[number_of(activity.kind)] +=
        busy_seconds_of(activity, simulation.played.periods[number], cluster);
    site.core_seconds += core_seconds_of(activity, cluster);
    if (activity.kind == ActivityKind::move) {
      SiteFigures& sender = simulation.sites[static_cast<size_t>(activity.from)];
      const double sends = sending_core_seconds(activity, cluster);
      simulation.moved_bytes += activity.bytes;
      ++simulation.num_moves;
      site.bytes_in += activity.bytes;
      sender.bytes_out += activity.bytes;
      sender.busy_seconds[number_of(ActivityKind::move)] += sends;
      sender.core_seconds += sends;
    } else if (activity.kind != ActivityKind::barrier) {
      ++site.num_activities;
    }
  }
  for (size_t site = 0; site < simulation.sites.size(); ++site) {
    simulation.sites[site].peak_bytes = simulation.played.peak_bytes[site];
    simulation.sites[site].paged_bytes = simulation.played.paged_bytes[site];
  }
}

/// Returns the dependency of an activity that ended last; among equals the earliest in the order.
ActivityId last_needed(ActivityId id, const Workload& workload,
                       const std::vector<Period>& periods) {
  ActivityId last;
  for (const ActivityId before : workload.dependencies.of(id)) {
    if (!last.valid() || periods[before.index()].end > periods[last.index()].end) {
      last = before;
    }
  }
  return last;
}

CriticalPath critical_path_of(const Workload& workload, const std::vector<Period>& periods,
                              const Cluster& cluster) {
  CriticalPath path;
  ActivityId id;
  for (size_t number = 0; number < periods.size(); ++number) {
    if (!id.valid() || periods[number].end > periods[id.index()].end) {
      id = ActivityId(static_cast<int64_t>(number));
    }
  }
  while (id.valid()) {
    path.activities.push_back(id);
    const Period& period = periods[id.index()];
    const ActivityKind kind = workload.at(id).kind;
    const double seconds = kind == ActivityKind::compute ? core_seconds_of(workload.at(id), cluster)
                                                         : duration(period);
    path.seconds[number_of(kind)] += seconds;
    path.slowed_seconds += duration(period) - seconds;
    const ActivityId before = last_needed(id, workload, periods);
    (kind == ActivityKind::move ? path.waiting_for_link_seconds : path.waiting_for_core_seconds) +=
        period.start - (before.valid() ? periods[before.index()].end : 0);
    id = before;
  }
  std::reverse(path.activities.begin(), path.activities.end());
  return path;
}

void append(SiteFigures& whole, const SiteFigures& after) {
  whole.num_activities += after.num_activities;
  for (size_t kind = 0; kind < kNumActivityKinds; ++kind) {
    whole.busy_seconds[kind] += after.busy_seconds[kind];
  }
  whole.core_seconds += after.core_seconds;
  whole.bytes_in += after.bytes_in;
  whole.bytes_out += after.bytes_out;
  whole.peak_bytes = std::max(whole.peak_bytes, after.peak_bytes);
  whole.paged_bytes += after.paged_bytes;
}

void append(CriticalPath& whole, const CriticalPath& after, size_t num_before) {
  for (const ActivityId id : after.activities) {
    whole.activities.emplace_back(static_cast<int64_t>(id.index() + num_before));
  }
  for (size_t kind = 0; kind < kNumActivityKinds; ++kind) {
    whole.seconds[kind] += after.seconds[kind];
  }
  whole.slowed_seconds += after.slowed_seconds;
  whole.waiting_for_core_seconds += after.waiting_for_core_seconds;
  whole.waiting_for_link_seconds += after.waiting_for_link_seconds;
}

/// Adds bounds: nothing is quicker than the bound of one part and then that of the other.
void append(Bounds& whole, const Bounds& after) {
  whole.critical_path += after.critical_path;
  whole.work += after.work;
  whole.busiest_cores += after.busiest_cores;
  whole.busiest_link += after.busiest_link;
  whole.busiest_disk += after.busiest_disk;
}

}  // namespace

void append(Simulation& whole, const Simulation& after) {
  append(whole.critical_path, after.critical_path, whole.played.periods.size());
  append(whole.bounds, after.bounds);
  for (size_t site = 0; site < whole.sites.size(); ++site) {
    append(whole.sites[site], after.sites[site]);
  }
  for (const Period& period : after.played.periods) {
    whole.played.periods.push_back({whole.makespan + period.start, whole.makespan + period.end});
  }
  whole.makespan += after.makespan;
  whole.moved_bytes += after.moved_bytes;
  whole.num_moves += after.num_moves;
}

Simulation simulate(const Workload& workload, const Cluster& cluster) {
  Simulation simulation;
  simulation.played = play(workload, cluster);
  simulation.makespan = simulation.played.makespan();
  add_sites(simulation, workload, cluster);
  simulation.critical_path = critical_path_of(workload, simulation.played.periods, cluster);
  simulation.bounds = bounds_of(workload, cluster);
  return simulation;
}

}  // namespace tessera::simulate
