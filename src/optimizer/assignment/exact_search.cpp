#include "optimizer/assignment/exact_search.h"

#include <algorithm>
#include <utility>

#include "optimizer/assignment/improve.h"
#include "optimizer/assignment/lower_bound.h"

namespace tessera::optimizer::assignment {

namespace {

class ExactSearch {
 public:
  ExactSearch(const Problem& problem, std::vector<Assignment> starts, const SearchLimits& limits)
      : problem_(problem), limits_(limits), bound_(problem) {
    best_ = starts.front();
    best_cost_ = cost_of(problem, best_);
    for (Assignment& start : starts) {
      offer(std::move(start));
    }
  }

  Solution run() && {
    for (int sweep = 0; sweep < limits_.most_sweeps && bound_.work() < limits_.most_work; ++sweep) {
      bound_.sweep();
      lower_ = std::max(lower_, bound_.value());
      offer(bound_.suggestion());
      if (!bound_.prune(best_cost_, slack()) || finished_by_elimination()) {
        return {best_, best_cost_, best_cost_};
      }
    }
    return {best_, best_cost_, std::min(lower_, best_cost_)};
  }

 private:
  /// Returns the least difference between two costs: they are integers, and rounded beyond nine
  /// digits.
  double slack() const { return std::max(0.5, 1e-9 * best_cost_); }

  void offer(Assignment assignment) {
    improve(problem_, assignment);
    const double cost = cost_of(problem_, assignment);
    if (cost < best_cost_) {
      best_ = std::move(assignment);
      best_cost_ = cost;
    }
  }

  /// Tries again only after some alternatives have been ruled out.
  bool finished_by_elimination() {
    std::vector<std::vector<int32_t>> remaining = bound_.remaining();
    size_t count = 0;
    for (const std::vector<int32_t>& alternatives : remaining) {
      count += alternatives.size();
    }
    if (tried_ > 0 && count + count / 8 > tried_) {
      return false;
    }
    tried_ = count;
    std::optional<Assignment> found =
        eliminate(problem_, std::move(remaining), limits_.elimination);
    if (found) {
      offer(std::move(*found));
    }
    return found.has_value();
  }

  const Problem& problem_;
  const SearchLimits& limits_;
  LowerBound bound_;
  Assignment best_;
  double best_cost_ = 0;
  double lower_ = 0;
  size_t tried_ = 0;  // alternatives left when elimination was last tried
};

}  // namespace

Solution exact_search(const Problem& problem, std::vector<Assignment> starts,
                      const SearchLimits& limits) {
  return ExactSearch(problem, std::move(starts), limits).run();
}

}  // namespace tessera::optimizer::assignment
