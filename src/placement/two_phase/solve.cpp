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

/// The most plans of a kind that the local search starts from: the cheapest.
constexpr int64_t kMostStarts = 2;
/// The part of a plan's own time that one local search may take, given that a move of a join group
/// takes kMoveCost picoseconds: planning is to stay below a hundredth of the run.
constexpr int64_t kSearchShare = 400;
constexpr int64_t kMoveCost = 2'000'000;
/// The fewest moves that are tried: enough for the small problems of short runs.
constexpr int64_t kFewestMoves = 4096;
/// The allowed extra cost of a plan of blocks: later statements find their inputs in one place
/// before they send it, while a slightly more even plan leaves them scattered over all sites.
constexpr double kMoreForBlocks = 1.02;

struct Start {
  Plan plan;
  Cost cost;
};

/// Plans of one kind, with only the cheapest kept.
class Starts {
 public:
  explicit Starts(const Problem& problem) : problem_(problem) {}

  void add(Plan plan) {
    const Cost cost = cost_of(problem_, plan);
    starts_.push_back({std::move(plan), cost});
    std::stable_sort(starts_.begin(), starts_.end(),
                     [](const Start& a, const Start& b) { return is_cheaper(a.cost, b.cost); });
    starts_.resize(std::min(starts_.size(), static_cast<size_t>(kMostStarts)));
  }

  const Start& cheapest() const { return starts_.front(); }

  /// Returns the best plan that local search reaches from them.
  Start best() const {
    Starts found(problem_);
    for (const Start& start : starts_) {
      const Plan even = with_even_homes(problem_, start.plan);
      const int64_t moves = std::clamp(start.cost.total() / kSearchShare / kMoveCost, kFewestMoves,
                                       kMostMoves / (2 * kMostStarts));
      found.add(improved(problem_, even, moves).plan);
    }
    return found.starts_.front();
  }

 private:
  const Problem& problem_;
  std::vector<Start> starts_;
};

Starts blocks_of(const Problem& problem) {
  Starts blocks(problem);
  for (const SiteGrid& grid : grids_of_sites(problem.extents, problem.num_sites)) {
    blocks.add(dealt_in_blocks(problem, grid));
  }
  blocks.add(dealt_in_runs(problem));
  return blocks;
}

Starts others_of(const Problem& problem) {
  Starts others(problem);
  for (const Rules rules : {Rules::both, Rules::first, Rules::second}) {
    others.add(assigned_greedily(problem, rules, Ties::fewest_moved));
  }
  others.add(assigned_greedily(problem, Rules::both, Ties::lowest_site));
  others.add(dealt_by_keys(problem));
  return others;
}

/// Returns the plan of blocks, unless it is too much dearer.
Plan better_kind(Start of_blocks, Start other) {
  const bool is_dearer = static_cast<double>(of_blocks.cost.total()) >
                         kMoreForBlocks * static_cast<double>(other.cost.total());
  return std::move(is_dearer ? other.plan : of_blocks.plan);
}

/// Returns the first site of a tuple, if it has one.
std::optional<int32_t> first_site(const Problem& problem, const Plan& plan, size_t tuple) {
  std::optional<int32_t> first;
  problem.sites.for_each(tuple, [&](int32_t site) { first = first.value_or(site); });
  return plan.home[tuple] == kUnassigned ? first : plan.home[tuple];
}

}  // namespace

Plan planned(const Problem& problem) {
  return better_kind(blocks_of(problem).best(), others_of(problem).best());
}

Plan sketched(const Problem& problem) {
  Starts others(problem);
  others.add(assigned_greedily(problem, Rules::both, Ties::fewest_moved));
  return better_kind(blocks_of(problem).cheapest(), others.cheapest());
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
