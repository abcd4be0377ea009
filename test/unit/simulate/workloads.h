#pragma once

#include <limits>
#include <vector>

#include "simulate/cluster.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// Builds a workload by hand: every call adds one activity and returns it.
class WorkloadBuilder {
 public:
  explicit WorkloadBuilder(int64_t num_sites) { workload_.num_sites = num_sites; }

  ActivityId compute(int32_t site, double seconds, std::vector<ActivityId> after = {}) {
    ActivityInfo activity;
    activity.site = site;
    activity.from = site;
    activity.core_seconds = seconds;
    return add(activity, after);
  }
  ActivityId move(int32_t from, int32_t to, double bytes, std::vector<ActivityId> after = {}) {
    ActivityInfo activity;
    activity.kind = ActivityKind::move;
    activity.site = to;
    activity.from = from;
    activity.bytes = bytes;
    return add(activity, after);
  }
  ActivityId file(ActivityKind kind, int32_t site, double core_seconds, double bytes) {
    ActivityInfo activity;
    activity.kind = kind;
    activity.site = site;
    activity.from = site;
    activity.core_seconds = core_seconds;
    activity.bytes = bytes;
    return add(activity, {});
  }
  ActivityId add(const ActivityInfo& activity, const std::vector<ActivityId>& after) {
    workload_.activities.push_back(activity);
    workload_.dependencies.append(after);
    touched_.emplace_back();
    return ActivityId(static_cast<int64_t>(workload_.activities.size()) - 1);
  }
  /// A tile that these activities touch.
  void tile(int32_t site, int64_t bytes, const std::vector<ActivityId>& by) {
    const HeldTileId id(static_cast<int64_t>(workload_.tiles.size()));
    workload_.tiles.push_back({site, bytes});
    for (const ActivityId activity : by) {
      touched_[activity.index()].push_back(id);
    }
  }
  Workload build() {
    for (const std::vector<HeldTileId>& tiles : touched_) {
      workload_.touched.append(tiles);
    }
    return workload_;
  }

 private:
  Workload workload_;
  std::vector<std::vector<HeldTileId>> touched_;
};

/// Sites whose links carry 1e9 bytes a second without headers and without their cores, 1 ms apart,
/// with disks of 1e9.
inline Cluster plain_cluster(size_t num_sites, int32_t cores) {
  ClusterSite site;
  site.cores = cores;
  site.link_bytes_per_second = 1e9;
  site.core_link_bytes_per_second = std::numeric_limits<double>::infinity();
  site.move_overhead_seconds = 0;
  site.disk_read_bytes_per_second = 1e9;
  site.disk_written_bytes_per_second = 1e9;
  Cluster cluster;
  cluster.sites.assign(num_sites, site);
  cluster.network.latency_seconds = 1e-3;
  cluster.network.efficiency = 1;
  return cluster;
}

}  // namespace tessera::simulate
