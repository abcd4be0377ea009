#include "simulate/costs/schedule.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace tessera::simulate {

namespace {

/// A builder that adds activities to a workload, and every move once.
class WorkloadOfCosts {
 public:
  WorkloadOfCosts(const CostModel& model, const Schedule& schedule)
      : model_(model), schedule_(schedule), made_(schedule.sites.size()) {
    workload_.num_sites = model.num_sites();
    workload_.keeps_order = true;
  }

  void add_task(size_t task) {
    std::vector<ActivityId> after;
    for (const int64_t input : task_of(task).inputs) {
      after.push_back(arrival(static_cast<size_t>(input), schedule_.sites[task]));
    }
    ActivityInfo compute;
    compute.site = schedule_.sites[task];
    compute.from = compute.site;
    compute.core_seconds = model_.seconds(task, compute.site);
    compute.name = task_of(task).name;
    compute.work = std::string("task");
    made_[task] = add(std::move(compute), after);
  }

  Workload workload() && { return std::move(workload_); }

 private:
  const CostTask& task_of(size_t task) const { return model_.graph().tasks[task]; }

  ActivityId add(ActivityInfo activity, const std::vector<ActivityId>& after) {
    workload_.activities.push_back(std::move(activity));
    workload_.dependencies.append(after);
    workload_.touched.append({});
    return ActivityId(static_cast<int64_t>(workload_.activities.size()) - 1);
  }

  /// Returns the activity that brings a task's result to a site: the task itself if it runs there.
  ActivityId arrival(size_t task, int32_t site) {
    if (schedule_.sites[task] == site) {
      return made_[task];
    }
    const auto [found, is_new] = moved_.emplace(std::pair{task, site}, ActivityId());
    if (is_new) {
      ActivityInfo move;
      move.kind = ActivityKind::move;
      move.site = site;
      move.from = schedule_.sites[task];
      move.bytes = task_of(task).bytes;
      move.delay_seconds = task_of(task).move_seconds.value_or(0);
      move.name = task_of(task).name;
      move.work = std::string("move");
      found->second = add(std::move(move), {made_[task]});
    }
    return found->second;
  }

  const CostModel& model_;
  const Schedule& schedule_;
  Workload workload_;
  std::vector<ActivityId> made_;                            // by task
  std::map<std::pair<size_t, int32_t>, ActivityId> moved_;  // by task and site
};

}  // namespace

double CostModel::move_seconds(size_t task, int32_t from, int32_t to) const {
  if (from == to) {
    return 0;
  }
  const CostTask& moved = graph_.tasks[task];
  if (moved.move_seconds) {
    return *moved.move_seconds;
  }
  if (moved.bytes <= 0) {
    return 0;
  }
  return cluster_.network.latency_seconds +
         moved.bytes / std::min(cluster_.data_rate(static_cast<size_t>(from)),
                                cluster_.data_rate(static_cast<size_t>(to)));
}

double CostModel::mean_seconds(size_t task) const {
  double sum = 0;
  for (int32_t site = 0; site < num_sites(); ++site) {
    sum += seconds(task, site);
  }
  return sum / num_sites();
}

double CostModel::mean_move_seconds(size_t task) const {
  double sum = 0;
  for (int32_t site = 1; site < num_sites(); ++site) {
    sum += move_seconds(task, 0, site);
  }
  return num_sites() > 1 ? sum / (num_sites() - 1) : 0;
}

double estimated_makespan(const CostModel& model, const Schedule& schedule) {
  std::vector<double> free_from(static_cast<size_t>(model.num_sites()), 0);
  std::vector<double> end(schedule.sites.size(), 0);
  double makespan = 0;
  for (const int64_t number : schedule.order) {
    const auto task = static_cast<size_t>(number);
    const int32_t site = schedule.sites[task];
    double start = free_from[static_cast<size_t>(site)];
    for (const int64_t input : model.graph().tasks[task].inputs) {
      const auto before = static_cast<size_t>(input);
      start =
          std::max(start, end[before] + model.move_seconds(before, schedule.sites[before], site));
    }
    end[task] = start + model.seconds(task, site);
    free_from[static_cast<size_t>(site)] = end[task];
    makespan = std::max(makespan, end[task]);
  }
  return makespan;
}

ScheduleBound schedule_bound(const CostModel& model, const Cluster& cluster) {
  double all_speed = 0;
  double best_speed = 0;
  for (const ClusterSite& site : cluster.sites) {
    all_speed += site.speed;
    best_speed = std::max(best_speed, site.speed);
  }
  ScheduleBound bound;
  const std::vector<CostTask>& tasks = model.graph().tasks;
  std::vector<double> end(tasks.size(), 0);
  for (size_t task = 0; task < tasks.size(); ++task) {
    for (const int64_t input : tasks[task].inputs) {
      end[task] = std::max(end[task], end[static_cast<size_t>(input)]);
    }
    end[task] += tasks[task].seconds / best_speed;
    bound.critical_path = std::max(bound.critical_path, end[task]);
    bound.work += tasks[task].seconds / all_speed;
  }
  return bound;
}

Workload workload_of(const CostModel& model, const Schedule& schedule) {
  WorkloadOfCosts workload(model, schedule);
  for (const int64_t task : schedule.order) {
    workload.add_task(static_cast<size_t>(task));
  }
  return std::move(workload).workload();
}

}  // namespace tessera::simulate
