#pragma once

#include <cstdint>
#include <vector>

#include "simulate/cluster.h"
#include "simulate/costs/cost_graph.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// The site of every task of a graph, and the order of all.
struct Schedule {
  std::vector<int32_t> sites;  // of every task
  std::vector<int64_t> order;  // all tasks, each after its inputs
};

/// The costs of tasks and their results on a cluster whose sites run one task at a time.
class CostModel {
 public:
  /// REQUIRES that both outlive it.
  CostModel(const CostGraph& graph, const Cluster& cluster) : graph_(graph), cluster_(cluster) {}

  const CostGraph& graph() const { return graph_; }
  int32_t num_sites() const { return static_cast<int32_t>(cluster_.sites.size()); }
  double seconds(size_t task, int32_t site) const {
    return graph_.tasks[task].seconds / cluster_.sites[static_cast<size_t>(site)].speed;
  }
  /// Returns the time of moving its result between sites if nothing else moves; 0 within one.
  double move_seconds(size_t task, int32_t from, int32_t to) const;
  /// Return the mean over sites of the two above.
  double mean_seconds(size_t task) const;
  double mean_move_seconds(size_t task) const;

 private:
  const CostGraph& graph_;
  const Cluster& cluster_;
};

/// Returns the end of the last task if each site runs its tasks in the schedule's order, and moves
/// do not slow one another.
double estimated_makespan(const CostModel& model, const Schedule& schedule);

/// A lower bound on any schedule: the longest chain of tasks without moves, or all tasks spread
/// evenly over the sites.
struct ScheduleBound {
  double critical_path = 0;
  double work = 0;
  double largest() const { return critical_path > work ? critical_path : work; }
};
ScheduleBound schedule_bound(const CostModel& model, const Cluster& cluster);

/// Makes a schedule a workload: its tasks, and a move of every result to every site that needs it.
Workload workload_of(const CostModel& model, const Schedule& schedule);

}  // namespace tessera::simulate
