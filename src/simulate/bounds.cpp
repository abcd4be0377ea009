#include "simulate/bounds.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace tessera::simulate {

namespace {

/// The total work of a site's parts.
struct SiteWork {
  double core_seconds = 0;
  double sent_seconds = 0;
  double received_seconds = 0;
  double disk_seconds = 0;
};

/// True if an activity accesses a file and takes time.
bool is_of_file(const ActivityInfo& activity, const Cluster& cluster) {
  return (activity.kind == ActivityKind::read && !cluster.has_inputs_in_memory) ||
         (activity.kind == ActivityKind::write && !cluster.has_results_in_memory);
}

double disk_part(const ActivityInfo& activity, const Cluster& cluster) {
  const ClusterSite& site = cluster.sites[static_cast<size_t>(activity.site)];
  if (!is_of_file(activity, cluster)) {
    return 0;
  }
  return activity.bytes / (activity.kind == ActivityKind::read
                               ? site.disk_read_bytes_per_second
                               : site.disk_written_bytes_per_second);
}

bool goes_through_links(const ActivityInfo& activity) {
  return activity.kind == ActivityKind::move && activity.delay_seconds <= 0 && activity.bytes > 0;
}

/// The least core time that counts: clocks do not tell less apart, and playing it takes as long as
/// playing more.
constexpr double kLeastCoreSeconds = 1e-9;

/// Returns the core time of sending, or receiving, the bytes of a move.
double link_core_seconds(const ActivityInfo& move, int32_t site, const Cluster& cluster) {
  if (!goes_through_links(move)) {
    return 0;
  }
  const ClusterSite& described = cluster.sites[static_cast<size_t>(site)];
  const double seconds =
      described.move_overhead_seconds + move.bytes / described.core_link_bytes_per_second;
  return seconds < kLeastCoreSeconds ? 0 : seconds;
}

double longest_chain(const Workload& workload, const Cluster& cluster) {
  std::vector<double> end(workload.activities.size(), 0);
  double longest = 0;
  for (size_t number = 0; number < end.size(); ++number) {
    const ActivityId id(static_cast<int64_t>(number));
    for (const ActivityId before : workload.dependencies.of(id)) {
      end[number] = std::max(end[number], end[before.index()]);
    }
    end[number] += seconds_alone(workload.at(id), cluster);
    longest = std::max(longest, end[number]);
  }
  return longest;
}

std::vector<SiteWork> work_by_site(const Workload& workload, const Cluster& cluster) {
  std::vector<SiteWork> sites(cluster.sites.size());
  for (const ActivityInfo& activity : workload.activities) {
    const auto site = static_cast<size_t>(activity.site);
    sites[site].core_seconds += core_seconds_of(activity, cluster);
    sites[site].disk_seconds += disk_part(activity, cluster);
    if (goes_through_links(activity)) {
      const auto from = static_cast<size_t>(activity.from);
      sites[from].core_seconds += sending_core_seconds(activity, cluster);
      sites[site].received_seconds += activity.bytes / cluster.data_rate(site);
      sites[from].sent_seconds += activity.bytes / cluster.data_rate(from);
    }
  }
  return sites;
}

/// Returns the time of the busiest rack, which sends to the others or receives from them over its
/// link.
double busiest_rack(const Workload& workload, const Cluster& cluster) {
  if (!cluster.has_racks()) {
    return 0;
  }
  std::vector<double> sent(cluster.num_racks(), 0);
  std::vector<double> received(cluster.num_racks(), 0);
  for (const ActivityInfo& activity : workload.activities) {
    const size_t from = cluster.rack_of(activity.from);
    const size_t to = cluster.rack_of(activity.site);
    if (goes_through_links(activity) && from != to) {
      sent[from] += activity.bytes;
      received[to] += activity.bytes;
    }
  }
  const double most = std::max(*std::max_element(sent.begin(), sent.end()),
                               *std::max_element(received.begin(), received.end()));
  return most / cluster.rack_data_rate();
}

}  // namespace

double Bounds::largest() const {
  return std::max({critical_path, work, busiest_cores, busiest_link, busiest_disk});
}

double core_seconds_of(const ActivityInfo& activity, const Cluster& cluster) {
  switch (activity.kind) {
    case ActivityKind::compute:
      return activity.core_seconds;
    case ActivityKind::move:
      return link_core_seconds(activity, activity.site, cluster);
    case ActivityKind::read:
    case ActivityKind::write:
      return is_of_file(activity, cluster) ? activity.core_seconds : 0;
    case ActivityKind::barrier:
      return 0;
  }
  fail_check(__FILE__, __LINE__, "kind", "an activity of no kind");
}

double sending_core_seconds(const ActivityInfo& activity, const Cluster& cluster) {
  return link_core_seconds(activity, activity.from, cluster);
}

double seconds_alone(const ActivityInfo& activity, const Cluster& cluster) {
  if (activity.kind != ActivityKind::move) {
    return core_seconds_of(activity, cluster) + disk_part(activity, cluster);
  }
  if (!goes_through_links(activity)) {
    return activity.delay_seconds;
  }
  double rate = std::min(cluster.data_rate(static_cast<size_t>(activity.site)),
                         cluster.data_rate(static_cast<size_t>(activity.from)));
  if (cluster.has_racks() && cluster.rack_of(activity.from) != cluster.rack_of(activity.site)) {
    rate = std::min(rate, cluster.rack_data_rate());
  }
  return std::max({cluster.network.latency_seconds + activity.bytes / rate,
                   sending_core_seconds(activity, cluster), core_seconds_of(activity, cluster)});
}

Bounds bounds_of(const Workload& workload, const Cluster& cluster) {
  Bounds bounds;
  bounds.critical_path = longest_chain(workload, cluster);
  bounds.busiest_link = busiest_rack(workload, cluster);
  const std::vector<SiteWork> sites = work_by_site(workload, cluster);
  for (size_t site = 0; site < sites.size(); ++site) {
    const SiteWork& work = sites[site];
    bounds.work += work.core_seconds / static_cast<double>(cluster.num_cores());
    bounds.busiest_cores =
        std::max(bounds.busiest_cores, work.core_seconds / cluster.sites[site].cores);
    bounds.busiest_link = std::max({bounds.busiest_link, work.sent_seconds, work.received_seconds});
    bounds.busiest_disk = std::max(bounds.busiest_disk, work.disk_seconds);
  }
  return bounds;
}

}  // namespace tessera::simulate
