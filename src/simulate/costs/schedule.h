#pragma once

#include <cstdint>
#include <vector>

#include "simulate/cluster.h"
#include "simulate/costs/cost_graph.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// Where every task of a graph runs, and in which order.
struct Schedule {
  std::vector<int32_t> sites;  // of every task
  std::vector<int64_t> order;  // all tasks, each after its inputs
};

/// What tasks and their results take on a cluster whose sites run one task at a time.
class CostModel {
 public:
  /// REQUIRES that both outlive it.
  CostModel(const CostGraph& graph, const Cluster& cluster) : graph_(graph), cluster_(cluster) {}

  const CostGraph& graph() const { return graph_; }
  int32_t num_sites() const { return static_cast<int32_t>(cluster_.sites.size()); }
  double seconds(size_t task, int32_t site) const {
    return graph_.tasks[task].seconds / cluster_.sites[static_cast<size_t>(site)].speed;
  }
  /// Of its result from one site to another, if nothing else moves; 0 on one.
  double move_seconds(size_t task, int32_t from, int32_t to) const;
  /// The middle over sites of the two above.
  double mean_seconds(size_t task) const;
  double mean_move_seconds(size_t task) const;

 private:
  const CostGraph& graph_;
  const Cluster& cluster_;
};

/// When the last task ends where each site runs its tasks in the schedule's order, and moves do not
/// hinder one another.
double estimated_makespan(const CostModel& model, const Schedule& schedule);

/// What no schedule is quicker than: the longest chain of tasks, moves left out, or all tasks
/// spread evenly over the sites.
struct ScheduleBound {
  double critical_path = 0;
  double work = 0;
  double largest() const { return critical_path > work ? critical_path : work; }
};
ScheduleBound schedule_bound(const CostModel& model, const Cluster& cluster);

/// A schedule as work that can be played: its tasks, and a move for every result and every site
/// that needs it.
Workload workload_of(const CostModel& model, const Schedule& schedule);

}  // namespace tessera::simulate
