#include "engine/candidates/candidate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "plan/memory.h"
#include "plan/plan_size.h"

namespace tessera::engine {

namespace {

/// The relative difference within which plans end equally early, because seconds are estimates.
constexpr double kAsSoon = 0.02;

/// Seconds by space.
struct Load {
  double computing = 0;
  double sending = 0;
  double receiving = 0;
};

std::vector<Load> loads_of(const plan::TaskGraph& graph, const Links& links) {
  std::vector<Load> loads(graph.spaces.size());
  for (const plan::TaskInfo& task : graph.tasks) {
    Load& own = loads[graph.space_of(task).index()];
    if (task.kind == plan::TaskKind::move) {
      const double seconds = links.network.seconds(task.bytes);
      own.receiving += seconds;
      loads[graph.at(task.inputs[0].tile).space.index()].sending += seconds;
    } else {
      own.computing += task.seconds;
    }
  }
  return loads;
}

double seconds_with(const plan::TaskGraph& graph, const plan::Paging& paging, int64_t workers,
                    const Links& links) {
  Load busiest;
  for (const Load& load : loads_of(graph, links)) {
    busiest.computing = std::max(busiest.computing, load.computing);
    busiest.sending = std::max(busiest.sending, load.sending);
    busiest.receiving = std::max(busiest.receiving, load.receiving);
  }
  const auto paged = static_cast<double>(paging.spilled_bytes + paging.loaded_bytes);
  return busiest.computing / static_cast<double>(workers) +
         std::max(busiest.sending, busiest.receiving) + links.spill.seconds(paged);
}

double moved_bytes(const plan::TaskGraph& graph) {
  double bytes = 0;
  for (const plan::TaskInfo& task : graph.tasks) {
    bytes += task.kind == plan::TaskKind::move ? task.bytes : 0;
  }
  return bytes;
}

/// Returns the number of the first outcome with the least measure.
template <class Measure>
size_t least(const std::vector<Outcome>& outcomes, Measure measure) {
  const auto found =
      std::min_element(outcomes.begin(), outcomes.end(),
                       [&](const Outcome& a, const Outcome& b) { return measure(a) < measure(b); });
  return static_cast<size_t>(found - outcomes.begin());
}

/// The bytes of a task that is small against its hand-over, so that only some of its tiles are
/// prefetched. Under 0.7 MB two workers take half as long for half as many tasks, of 240 KiB
/// (bench/memory, softmax of columns); without room for any of the next one's tiles a product takes
/// 1.5 times as long.
constexpr int64_t kSmallTask = int64_t{512} << 10;

}  // namespace

size_t best_of(const std::vector<Outcome>& outcomes) {
  if (std::holds_alternative<PlacedFigures>(outcomes.front())) {
    return least(outcomes,
                 [](const Outcome& outcome) { return std::get<PlacedFigures>(outcome).total(); });
  }
  const auto figures = [](const Outcome& outcome) -> const Figures& {
    return std::get<Figures>(outcome);
  };
  const size_t soonest =
      least(outcomes, [&](const Outcome& outcome) { return figures(outcome).seconds; });
  const double end = figures(outcomes[soonest]).seconds;
  if (std::isinf(end)) {
    return least(outcomes,
                 [&](const Outcome& outcome) { return figures(outcome).smallest_budget; });
  }
  return least(outcomes, [&](const Outcome& outcome) {
    const Figures& own = figures(outcome);
    const bool ends_as_soon = own.seconds <= (1 + kAsSoon) * end;
    return std::tuple(!ends_as_soon, own.moved_bytes, own.seconds);
  });
}

double latest_end(const Figures& figures) {
  return (1 + kAsSoon) * figures.seconds;
}

bool is_better(const Outcome& one, const Outcome& other) {
  return best_of({other, one}) == 1;
}

plan::Paging expected_paging(const plan::TaskGraph& graph, const Budget& left) {
  const plan::MemoryProof proof = plan::largest_proof(graph);
  const int64_t others = (left.workers - 1) * proof.smallest_budget;
  const int64_t own = std::max(left.bytes - others, proof.smallest_budget);
  return proof.peak.at_most <= own ? plan::Paging() : plan::forecast_paging(graph, own);
}

double read_again_bytes(const plan::TaskGraph& graph) {
  if (graph.sites.size() == 1) {
    return 0;
  }
  std::map<std::string, double> read;  // by input
  for (const plan::TaskInfo& task : graph.tasks) {
    if (task.kind == plan::TaskKind::read_source) {
      read[*task.name] += task.bytes;
    }
  }
  double again = 0;
  for (const plan::SourceInfo& source : graph.sources) {
    again += std::max(0.0, read[source.name] - static_cast<double>(size_in_bytes(source.type)));
  }
  return again;
}

Figures figures_of(const plan::TaskGraph& graph, int64_t program_bytes, const Budget& budget,
                   const Links& links) {
  Figures figures;
  figures.num_tasks = static_cast<int64_t>(graph.tasks.size());
  figures.plan_bytes = plan::counted_plan_bytes(graph) + program_bytes;
  const plan::MemoryProof proof = plan::largest_proof(graph);
  figures.peak_bytes = proof.peak.at_most;
  figures.smallest_budget = proof.smallest_budget + figures.plan_bytes;
  figures.moved_bytes = moved_bytes(graph);
  figures.read_again_bytes = read_again_bytes(graph);
  figures.seconds = std::numeric_limits<double>::infinity();
  figures.alone_seconds = figures.seconds;
  if (fits(figures, budget)) {
    figures.paging = expected_paging(graph, left_by(graph, program_bytes, budget));
    figures.seconds = seconds_with(graph, figures.paging, budget.workers, links);
    figures.alone_seconds = seconds_with(graph, figures.paging, 1, links);
  }
  return figures;
}

Figures followed_by(const Figures& before, const Figures& after) {
  Figures both;
  both.num_frames = before.num_frames + after.num_frames;
  both.num_tasks = before.num_tasks + after.num_tasks;
  both.peak_bytes = std::max(before.peak_bytes, after.peak_bytes);
  both.plan_bytes = std::max(before.plan_bytes, after.plan_bytes);
  both.smallest_budget = std::max(before.smallest_budget, after.smallest_budget);
  both.paging = before.paging;
  both.paging += after.paging;
  both.moved_bytes = before.moved_bytes + after.moved_bytes;
  both.read_again_bytes = before.read_again_bytes + after.read_again_bytes;
  both.seconds = before.seconds + after.seconds;
  both.alone_seconds = before.alone_seconds + after.alone_seconds;
  return both;
}

Budget left_by(const plan::TaskGraph& graph, int64_t program_bytes, Budget budget) {
  const int64_t left = budget.bytes - plan::counted_plan_bytes(graph) - program_bytes;
  return {std::max<int64_t>(0, left), budget.workers};
}

bool fits(const Figures& figures, const Budget& budget) {
  return figures.smallest_budget <= budget.bytes;
}

bool runs_well(const Figures& figures, const Budget& budget) {
  const int64_t left = budget.bytes - figures.plan_bytes;
  const int64_t task = figures.smallest_budget - figures.plan_bytes;
  const int64_t fetched = task <= kSmallTask ? task / 2 : task;
  return figures.peak_bytes <= left || budget.workers * task + fetched <= left;
}

double sure_end(const Figures& figures, const Budget& budget) {
  return runs_well(figures, budget) ? figures.seconds : figures.alone_seconds;
}

}  // namespace tessera::engine
