#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "simulate/costs/placements.h"

namespace tessera::simulate {

namespace {

/// Returns the longest path from a task's start to the end, by mean costs.
std::vector<double> ranks_of(const CostModel& model) {
  const std::vector<CostTask>& tasks = model.graph().tasks;
  std::vector<double> behind(tasks.size(), 0);  // after its own end, with moves
  std::vector<double> ranks(tasks.size(), 0);
  for (size_t task = tasks.size(); task-- > 0;) {
    ranks[task] = model.mean_seconds(task) + behind[task];
    for (const int64_t input : tasks[task].inputs) {
      const auto before = static_cast<size_t>(input);
      behind[before] = std::max(behind[before], model.mean_move_seconds(before) + ranks[task]);
    }
  }
  return ranks;
}

struct Busy {
  double start = 0;
  double end = 0;
};

/// Returns the first moment from `ready` on at which a site is idle for `seconds`.
double first_gap(const std::vector<Busy>& busy, double ready, double seconds) {
  double start = ready;
  for (const Busy& other : busy) {
    if (start + seconds <= other.start) {
      return start;
    }
    start = std::max(start, other.end);
  }
  return start;
}

void insert(std::vector<Busy>& busy, Busy span) {
  const auto later = [](const Busy& a, const Busy& b) { return a.start < b.start; };
  busy.insert(std::upper_bound(busy.begin(), busy.end(), span, later), span);
}

class Heft {
 public:
  explicit Heft(const CostModel& model)
      : model_(model),
        busy_(static_cast<size_t>(model.num_sites())),
        periods_(model.graph().tasks.size()) {
    schedule_.sites.assign(periods_.size(), 0);
  }

  Schedule run() {
    for (const size_t task : by_rank()) {
      place(task);
    }
    order_by_start();
    return std::move(schedule_);
  }

 private:
  /// Orders tasks by rank. A task has a rank no higher than its inputs, and comes after them if
  /// equal.
  std::vector<size_t> by_rank() const {
    const std::vector<double> ranks = ranks_of(model_);
    std::vector<size_t> order(ranks.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return ranks[a] > ranks[b]; });
    return order;
  }

  double ready_on(size_t task, int32_t site) const {
    double ready = 0;
    for (const int64_t input : model_.graph().tasks[task].inputs) {
      const auto before = static_cast<size_t>(input);
      ready = std::max(
          ready, periods_[before].end + model_.move_seconds(before, schedule_.sites[before], site));
    }
    return ready;
  }

  void place(size_t task) {
    Busy best{0, std::numeric_limits<double>::infinity()};
    for (int32_t site = 0; site < model_.num_sites(); ++site) {
      const double seconds = model_.seconds(task, site);
      const double start =
          first_gap(busy_[static_cast<size_t>(site)], ready_on(task, site), seconds);
      if (start + seconds < best.end) {
        best = {start, start + seconds};
        schedule_.sites[task] = site;
      }
    }
    periods_[task] = best;
    insert(busy_[static_cast<size_t>(schedule_.sites[task])], best);
  }

  /// Orders tasks by start, then by number: inputs have lower numbers, and start no later.
  void order_by_start() {
    schedule_.order.resize(periods_.size());
    std::iota(schedule_.order.begin(), schedule_.order.end(), int64_t{0});
    std::stable_sort(schedule_.order.begin(), schedule_.order.end(), [&](int64_t a, int64_t b) {
      return periods_[static_cast<size_t>(a)].start < periods_[static_cast<size_t>(b)].start;
    });
  }

  const CostModel& model_;
  std::vector<std::vector<Busy>> busy_;  // of every site, in the order of time
  std::vector<Busy> periods_;
  Schedule schedule_;
};

}  // namespace

Schedule heft(const CostModel& model) {
  return Heft(model).run();
}

}  // namespace tessera::simulate
