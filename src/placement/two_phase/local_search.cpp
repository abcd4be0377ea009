#include "placement/two_phase/local_search.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "placement/two_phase/like_tuples.h"
#include "placement/two_phase/moves.h"

namespace tessera::placement::two_phase {

namespace {

/// The most sites on which all are tried for a group; beyond, only those that have its tuples, and
/// the idlest.
constexpr int32_t kMostTriedSites = 8;
/// The most tuples of a join group without condensing; beyond, equal tuples are moved as one.
constexpr size_t kManyTuples = 8;
constexpr uint64_t kSeed = 9;
/// The most kicks in a row that lead to nothing better.
constexpr int kMostKicks = 64;
constexpr int kKickedGroups = 3;

class LocalSearch {
 public:
  LocalSearch(const Problem& problem, Plan plan, int64_t most_moves)
      : problem_(problem),
        moves_(problem, std::move(plan)),
        most_moves_(most_moves),
        best_(moves_.cost()),
        draw_(kSeed),
        sites_(static_cast<size_t>(problem.num_sites)) {
    std::iota(sites_.begin(), sites_.end(), 0);
  }

  Improved run() && {
    descend();
    moves_.mark();
    Cost cost = best_;
    for (int in_vain = 0; in_vain < kMostKicks && !is_bounded(); ++in_vain) {
      kick();
      descend();
      if (is_cheaper(best_, cost)) {
        moves_.mark();
        cost = best_;
        in_vain = 0;
      } else {
        give_up();
      }
    }
    return {std::move(moves_).take(), num_moves(), is_bounded()};
  }

 private:
  int64_t num_moves() const { return moves_before_ + moves_.num_moves(); }
  bool is_bounded() const { return num_moves() >= most_moves_; }

  /// Moves groups that pay until none does.
  void descend() {
    bool is_better = true;
    while (is_better && !is_bounded()) {
      is_better = sweep_groups();
      is_better = (problem_.merges && sweep_joins()) || is_better;
      is_better = (!is_better && exchange_groups()) || is_better;
    }
  }

  /// Moves a few groups, at any cost, to get out of a plan that no move improves.
  void kick() {
    for (int count = 0; count < kKickedGroups; ++count) {
      const auto site = static_cast<int32_t>(draw_() % static_cast<uint64_t>(problem_.num_sites));
      if (problem_.merges && draw_() % 2 == 0) {
        moves_.move_join(draw_() % problem_.num_joins(), site);
      } else {
        moves_.move_cluster(draw_() % problem_.num_groups(), site);
      }
    }
    moves_.keep();
    best_ = moves_.cost();
  }

  /// Returns to the best plan. It counts as moving every join group, so that large problems are
  /// kicked less often.
  void give_up() {
    moves_before_ += static_cast<int64_t>(problem_.num_joins());
    moves_.undo_kept();
    best_ = moves_.cost();
  }

  /// Keeps the trial move if it pays, else takes it back.
  bool keep_if_better() {
    const Cost cost = moves_.cost();
    const bool is_better = is_cheaper(cost, best_);
    if (is_better) {
      best_ = cost;
      moves_.keep();
    } else {
      moves_.undo();
    }
    return is_better;
  }

  /// Moves a join group to another site if that pays. A move that surely does not is only counted.
  bool try_join(size_t join, int32_t site) {
    if (moves_.least_with_join(join, site) > best_.total()) {
      moves_.count_join();
      return false;
    }
    moves_.move_join(join, site);
    return keep_if_better();
  }
  bool try_cluster(size_t group, int32_t site) {
    if (moves_.least_with_cluster(group, site) > best_.total()) {
      moves_.count_cluster(group);
      return false;
    }
    moves_.move_cluster(group, site);
    return keep_if_better();
  }

  /// Returns all numbers in a random order.
  std::vector<size_t> drawn(size_t count) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t last = count; last > 1; --last) {
      std::swap(order[last - 1], order[draw_() % last]);
    }
    return order;
  }

  bool sweep_groups() {
    bool is_better = false;
    for (const size_t group : drawn(problem_.num_groups())) {
      for (const int32_t site : sites_for(problem_.joins[group])) {
        if (is_bounded()) {
          return is_better;
        }
        if (site != moves_.site_of_group(group)) {
          is_better = try_cluster(group, site) || is_better;
        }
        if (problem_.merges && site != moves_.site_of_group(group)) {
          moves_.move_group(group, site);
          is_better = keep_if_better() || is_better;
        }
      }
    }
    return is_better;
  }

  bool sweep_joins() {
    bool is_better = false;
    for (const size_t join : drawn(problem_.num_joins())) {
      const auto number = static_cast<int32_t>(join);
      for (const int32_t site : sites_for({&number, 1})) {
        if (is_bounded()) {
          return is_better;
        }
        if (site != moves_.site_of_join(join)) {
          is_better = try_join(join, site) || is_better;
        }
      }
    }
    return is_better;
  }

  /// Exchanges the sites of two groups that do not pay alone. One round of drawn pairs.
  bool exchange_groups() {
    bool is_better = false;
    const std::vector<size_t> order = drawn(problem_.num_groups());
    for (const size_t one : order) {
      const size_t other = order[draw_() % order.size()];
      const int32_t here = moves_.site_of_group(one);
      const int32_t there = moves_.site_of_group(other);
      if (is_bounded()) {
        break;
      }
      if (here != there) {
        moves_.move_cluster(one, there);
        moves_.move_cluster(other, here);
        is_better = keep_if_better() || is_better;
      }
    }
    return is_better;
  }

  /// Returns the sites where some join groups may be cheaper.
  const std::vector<int32_t>& sites_for(std::span<const int32_t> joins) {
    if (problem_.num_sites <= kMostTriedSites) {
      return sites_;
    }
    sites_ = {moves_.idlest()};
    for (const int32_t join : joins) {
      add_site(moves_.site_of_group(moves_.group_of(static_cast<size_t>(join))));
      for (const int32_t tuple : problem_.tuples[static_cast<size_t>(join)]) {
        add_site(moves_.plan().home[static_cast<size_t>(tuple)]);
        problem_.sites.for_each(static_cast<size_t>(tuple), [&](int32_t site) { add_site(site); });
      }
      if (sites_.size() >= kMostTriedSites) {
        break;
      }
    }
    return sites_;
  }

  void add_site(int32_t site) {
    if (site != kUnassigned && sites_.size() < kMostTriedSites &&
        std::find(sites_.begin(), sites_.end(), site) == sites_.end()) {
      sites_.push_back(site);
    }
  }

  const Problem& problem_;
  Moves moves_;
  int64_t most_moves_;
  int64_t moves_before_ = 0;  // that returning counts as
  Cost best_;                 // of the plan that is moved
  std::mt19937_64 draw_;
  std::vector<int32_t> sites_;  // candidate sites of the current groups; all if they are few
};

}  // namespace

Improved improved(const Problem& problem, Plan plan, int64_t most_moves) {
  const auto counts = static_cast<int64_t>(problem.num_tuples()) * problem.num_sites;
  if (counts > kMostCounts || problem.num_sites == 1) {
    return {std::move(plan), 0, counts > kMostCounts};
  }
  if (problem.tuples.num_items() > kManyTuples * problem.num_joins()) {
    const Condensed few = condensed(problem, plan.home);
    Improved found = LocalSearch(few.problem, few.condensed(std::move(plan)), most_moves).run();
    found.plan = few.whole(std::move(found.plan));
    return found;
  }
  return LocalSearch(problem, std::move(plan), most_moves).run();
}

}  // namespace tessera::placement::two_phase
