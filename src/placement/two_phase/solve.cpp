#include "placement/two_phase/solve.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "placement/two_phase/blocks.h"
#include "placement/two_phase/greedy.h"
#include "placement/two_phase/local_search.h"

namespace tessera::placement::two_phase {

namespace {

/// Of all plans that the local search could start from, those that cost least.
constexpr int64_t kMostStarts = 4;

struct Start {
  Plan plan;
  std::pair<int64_t, int64_t> dearness;  // the cost, and what is moved
};

void keep_cheapest(std::vector<Start>& starts) {
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.dearness < b.dearness; });
  starts.resize(std::min(starts.size(), static_cast<size_t>(kMostStarts)));
}

std::pair<int64_t, int64_t> dearness_of(const Problem& problem, const Plan& plan) {
  const Cost cost = cost_of(problem, plan);
  return {cost.total(), cost.moved};
}

/// The first site of a tuple that is somewhere.
std::optional<int32_t> first_site(const Problem& problem, const Plan& plan, size_t tuple) {
  std::optional<int32_t> first;
  problem.sites.for_each(tuple, [&](int32_t site) { first = first.value_or(site); });
  return plan.home[tuple] == kUnassigned ? first : plan.home[tuple];
}

}  // namespace

Plan planned(const Problem& problem) {
  std::vector<Start> starts;
  const auto start_from = [&](Plan plan) {
    Start start{std::move(plan), {}};
    start.dearness = dearness_of(problem, start.plan);
    starts.push_back(std::move(start));
  };
  for (const Rules rules : {Rules::both, Rules::first, Rules::second}) {
    start_from(assigned_greedily(problem, rules, Ties::fewest_moved));
  }
  start_from(assigned_greedily(problem, Rules::both, Ties::lowest_site));
  start_from(dealt_by_keys(problem));
  start_from(dealt_in_runs(problem));
  for (const SiteGrid& grid : grids_of_sites(problem.extents, problem.num_sites)) {
    start_from(dealt_in_blocks(problem, grid));
    keep_cheapest(starts);
  }
  keep_cheapest(starts);
  for (Start& start : starts) {
    const Plan even = with_even_homes(problem, start.plan);
    start.plan = improved(problem, even, kMostMoves / kMostStarts).plan;
    start.dearness = dearness_of(problem, start.plan);
  }
  keep_cheapest(starts);
  return std::move(starts.front().plan);
}

Plan dealt_by_keys(const Problem& problem) {
  const auto site_of = [&](int64_t key) { return static_cast<int32_t>(key % problem.num_sites); };
  Plan plan{std::vector<int32_t>(problem.num_joins()),
            {},
            std::vector<int32_t>(problem.num_tuples(), kUnassigned)};
  for (size_t join = 0; join < problem.num_joins(); ++join) {
    const std::span<const int32_t> tuples = problem.tuples[join];
    const std::optional<int32_t> only =
        tuples.size() == 1 ? first_site(problem, plan, static_cast<size_t>(tuples[0]))
                           : std::nullopt;
    plan.join_site[join] = only.value_or(site_of(problem.join_key[join]));
    for (const int32_t number : tuples) {
      const auto tuple = static_cast<size_t>(number);
      if (!first_site(problem, plan, tuple)) {
        plan.home[tuple] = plan.join_site[join];
      }
    }
  }
  for (size_t group = 0; group < problem.num_groups(); ++group) {
    const auto first = static_cast<size_t>(problem.joins[group].front());
    plan.group_site.push_back(problem.merges ? site_of(problem.group_key[group])
                                             : plan.join_site[first]);
  }
  return plan;
}

}  // namespace tessera::placement::two_phase
