#include "simulate/task_workload.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "plan/dependencies.h"
#include "plan/memory.h"
#include "plan/to_tasks.h"

namespace tessera::simulate {

namespace {

/// Returns the site of each space: the first, if several share it.
std::vector<int32_t> sites_of_spaces(const plan::TaskGraph& graph) {
  std::vector<int32_t> sites(graph.spaces.size(), 0);
  for (size_t site = graph.sites.size(); site-- > 0;) {
    sites[graph.sites[site].space.index()] = static_cast<int32_t>(site);
  }
  return sites;
}

ActivityKind kind_of(plan::TaskKind kind) {
  switch (kind) {
    case plan::TaskKind::read_source:
    case plan::TaskKind::gather_source:
      return ActivityKind::read;
    case plan::TaskKind::compute:
    case plan::TaskKind::copy_box:
      return ActivityKind::compute;
    case plan::TaskKind::move:
      return ActivityKind::move;
    case plan::TaskKind::write_sink:
      return ActivityKind::write;
    case plan::TaskKind::send:
    case plan::TaskKind::receive:
      break;  // part of one process's plan, which is not played alone
  }
  fail_check(__FILE__, __LINE__, "kind", "a task of no kind");
}

Shared<std::string> work_of(const plan::TaskInfo& task) {
  switch (task.kind) {
    case plan::TaskKind::read_source:
      return std::string("read");
    case plan::TaskKind::gather_source:
      return std::string("gather");
    case plan::TaskKind::compute:
      return task.kernel;
    case plan::TaskKind::copy_box:
      return std::string("copy");
    case plan::TaskKind::move:
      return std::string("move");
    case plan::TaskKind::write_sink:
      return std::string("write");
    case plan::TaskKind::send:
    case plan::TaskKind::receive:
      break;
  }
  fail_check(__FILE__, __LINE__, "kind", "a task of no kind");
}

/// Returns the core time of a task, for the speed of its site.
double core_seconds(const plan::TaskInfo& task, ActivityKind kind, const ClusterSite& site,
                    const FileCosts& files) {
  if (kind == ActivityKind::move) {
    return 0;
  }
  const bool is_of_file = kind != ActivityKind::compute;
  const double of_disk = is_of_file ? task.bytes / files.bytes_per_second : 0;
  return std::max(0.0, task.seconds - of_disk) / site.speed;
}

template <class Owner, class From, class To>
plan::Incidence<Owner, To> renamed(const From& incidence) {
  plan::Incidence<Owner, To> result;
  std::vector<To> members;
  for (size_t owner = 0; owner < incidence.num_owners(); ++owner) {
    members.clear();
    for (const auto member : incidence.of(plan::TaskId(static_cast<int64_t>(owner)))) {
      members.push_back(To(member.value));
    }
    result.append(members);
  }
  return result;
}

}  // namespace

void check_num_sites(const Cluster& cluster) {
  if (cluster.num_sites() > plan::kMostSites) {
    throw_error(ErrorKind::unsupported,
                "a plan has tasks for at most {} sites, and this cluster has {}", plan::kMostSites,
                cluster.num_sites());
  }
}

void check_memory(const plan::TaskGraph& graph, int64_t bytes_of_each) {
  plan::check_budget(graph, plan::Budgets(bytes_of_each));
}

Workload workload_of(const plan::TaskGraph& graph, const Cluster& cluster, const Machine& machine) {
  TESSERA_USER_CHECK(static_cast<int64_t>(graph.sites.size()) <= cluster.num_sites(),
                     "this plan is for {} sites, and the cluster has {}", graph.sites.size(),
                     cluster.num_sites());
  const std::vector<int32_t> site_of = sites_of_spaces(graph);
  Workload workload;
  workload.num_sites = static_cast<int64_t>(graph.sites.size());
  workload.dependencies = renamed<ActivityId, decltype(plan::dependencies_of(graph)), ActivityId>(
      plan::dependencies_of(graph));
  workload.touched =
      renamed<ActivityId, decltype(plan::tiles_of(graph)), HeldTileId>(plan::tiles_of(graph));
  for (const plan::TileInfo& tile : graph.tiles) {
    workload.tiles.push_back({site_of[tile.space.index()], plan::charged_bytes(tile).expected});
  }
  for (const plan::TaskInfo& task : graph.tasks) {
    ActivityInfo activity;
    activity.kind = kind_of(task.kind);
    activity.site = task.site.value;
    activity.from = task.kind == plan::TaskKind::move
                        ? site_of[graph.at(task.inputs.front().tile).space.index()]
                        : activity.site;
    activity.core_seconds =
        core_seconds(task, activity.kind, cluster.sites[task.site.index()], machine.files);
    activity.bytes = activity.kind == ActivityKind::compute ? 0 : task.bytes;
    activity.workspace_bytes = plan::charged_workspace(task);
    activity.name = task.origin->statement;
    activity.work = work_of(task);
    workload.activities.push_back(std::move(activity));
  }
  return workload;
}

}  // namespace tessera::simulate
