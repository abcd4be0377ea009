#include "engine/memory_search.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera::engine {

namespace {

/// Tiles of fewer bytes cost more to manage than to compute.
constexpr int64_t kLeastCallBytes = int64_t{64} << 10;
/// Intermediates of one statement are to take such a share of the budget: others are held with
/// them.
constexpr int64_t kShares[] = {2, 8, 32};
/// To the spill file or back: a disk of 1 GB/s, in part behind the kernels.
constexpr double kSecondsPerPagedByte = 1e-9;
constexpr double kNever = std::numeric_limits<double>::infinity();

int64_t power_of_two_below(int64_t bytes) {
  int64_t power = 1;
  while (power <= (bytes - 1) / 2) {
    power *= 2;
  }
  return power;
}

double seconds_with(const plan::TaskGraph& graph, const plan::Paging& paging, int64_t workers) {
  double seconds = 0;
  for (const plan::TaskInfo& task : graph.tasks) {
    seconds += task.seconds;
  }
  const auto paged = static_cast<double>(paging.spilled_bytes + paging.loaded_bytes);
  return seconds / static_cast<double>(workers) + kSecondsPerPagedByte * paged;
}

/// What counts of a plan.
struct Figures {
  MemoryDemand demand;
  int64_t peak_bytes = 0;
  int64_t smallest_budget = 0;
  int64_t num_spills = 0;  // expected, where the plan fits
  double seconds = kNever;
};

/// Tries demands. Plans may be large, so that only the last one is kept.
class Search {
 public:
  Search(const LowerWithin& lower, int64_t budget, int64_t workers)
      : lower_(lower), budget_(budget), workers_(workers) {}

  /// Nothing where there is no plan for the demand.
  std::optional<Figures> figures(const MemoryDemand& demand) {
    last_.reset();
    last_ = lower_(demand);
    last_demand_ = demand;
    if (!last_) {
      return std::nullopt;
    }
    Figures figures{demand};
    if (last_->tasks) {
      const plan::TaskGraph& graph = *last_->tasks;
      figures.peak_bytes = graph.peak_bytes;
      figures.smallest_budget = graph.smallest_budget;
      if (fits(figures)) {
        const plan::Paging paging = expected_paging(graph, budget_, workers_);
        figures.seconds = seconds_with(graph, paging, workers_);
        figures.num_spills = paging.num_spills;
      }
    }
    return figures;
  }

  /// The plan of a demand that has one.
  Lowered take(const MemoryDemand& demand) && {
    return last_ && last_demand_ == demand ? std::move(*last_) : *lower_(demand);
  }

  bool fits(const Figures& figures) const { return figures.smallest_budget <= budget_; }

  bool runs_well(const Figures& figures) const {
    return figures.peak_bytes <= budget_ || figures.smallest_budget <= budget_ / (workers_ + 1);
  }

  int64_t budget() const { return budget_; }

 private:
  const LowerWithin& lower_;
  int64_t budget_;
  int64_t workers_;
  std::optional<Lowered> last_;
  MemoryDemand last_demand_;
};

/// The coarsest cuts that run well, labels sliced or not, else those that need least; nothing where
/// the slices alone would make too many tasks.
std::optional<Figures> coarsest(Search& search, std::vector<optimizer::Slice> slices) {
  MemoryDemand demand{std::nullopt, std::move(slices)};
  std::optional<Figures> best = search.figures(demand);
  if (!best || search.runs_well(*best)) {
    return best;
  }
  for (int64_t bound = power_of_two_below(best->smallest_budget); bound >= kLeastCallBytes;
       bound /= 2) {
    demand.most_call_bytes = bound;
    std::optional<Figures> finer = search.figures(demand);
    if (!finer || search.runs_well(*finer)) {
      return finer ? finer : best;
    }
    if (finer->smallest_budget < best->smallest_budget) {
      best = std::move(finer);
    }
  }
  return best;
}

/// The plan with labels sliced that is expected to end first, or the whole one if that does.
Figures sliced_if_sooner(Figures whole, Search& search, const WaysToSlice& ways_to_slice) {
  Figures best = std::move(whole);
  double before = kNever;
  for (const int64_t share : kShares) {
    double least = kNever;
    for (std::vector<optimizer::Slice>& way : ways_to_slice(search.budget() / share)) {
      std::optional<Figures> sliced = coarsest(search, std::move(way));
      least = std::min(least, sliced ? sliced->seconds : kNever);
      if (sliced && sliced->seconds < best.seconds) {
        best = std::move(*sliced);
      }
    }
    if (best.num_spills == 0 || (least >= before && least < kNever)) {
      break;
    }
    before = least;
  }
  return best;
}

}  // namespace

plan::Paging expected_paging(const plan::TaskGraph& graph, int64_t budget, int64_t workers) {
  const int64_t left =
      std::max(budget - (workers - 1) * graph.smallest_budget, graph.smallest_budget);
  return graph.peak_bytes <= left ? plan::Paging() : plan::forecast_paging(graph, left);
}

double expected_seconds(const plan::TaskGraph& graph, int64_t budget, int64_t workers) {
  return graph.smallest_budget > budget
             ? kNever
             : seconds_with(graph, expected_paging(graph, budget, workers), workers);
}

Lowered lower_within_budget(const LowerWithin& lower, const WaysToSlice& ways_to_slice,
                            int64_t budget, int64_t workers) {
  Search search(lower, budget, workers);
  Figures best = *coarsest(search, {});
  if (search.fits(best) && best.num_spills > 0) {
    best = sliced_if_sooner(std::move(best), search, ways_to_slice);
  }
  return std::move(search).take(best.demand);
}

}  // namespace tessera::engine
