#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "placement/two_phase/greedy.h"
#include "placement/two_phase/like_tuples.h"
#include "placement/two_phase/local_search.h"
#include "placement/two_phase/moves.h"
#include "placement/two_phase/solve.h"
#include "placement/two_phase/stage_loads.h"
#include "unit/placement/two_phase_problems.h"

namespace tessera::placement::two_phase::two_phase_greedy_test {
namespace {

/// Two-phase §5.2: 2 t_pi + t_sigma + 2 t_F + t_g. Site 1 lacks Y11 alone, so that its T_F is t_F.
TEST(TwoPhaseCost, IsThatOfTheWorkedExample) {
  const Problem problem = tiled_product(2);
  Plan plan{{0, 0, 1, 2}, {1, 2}, std::vector<int32_t>(8, kUnassigned)};
  EXPECT_EQ(cost_of(problem, plan), (Cost{2, 2, 1, 1, 5}));
  EXPECT_EQ(cost_of(problem, plan).total(), 6);
}

TEST(TwoPhaseGreedy, CostsWhatItShouldOnTheWorkedExample) {
  const Problem half = tiled_product(2);
  const Problem whole = tiled_product(4);
  EXPECT_EQ(cost_of(half, assigned_greedily(half, Rules::both, Ties::lowest_site)).total(), 5);
  EXPECT_EQ(cost_of(whole, assigned_greedily(whole, Rules::both, Ties::lowest_site)).total(), 9);
}

/// What the greedy planner adds up step by step is what its plan costs in the end: of every step
/// the next follows, so that a wrong sum would show in the plan of a slow planner that counts anew.
class SlowGreedy {
 public:
  SlowGreedy(const Problem& problem, Rules rules)
      : problem_(problem),
        rules_(problem.merges ? rules : Rules::first),
        plan_{std::vector<int32_t>(problem.num_joins(), kUnassigned),
              std::vector<int32_t>(problem.num_groups(), kUnassigned),
              std::vector<int32_t>(problem.num_tuples(), kUnassigned)} {}

  Plan run() {
    for (size_t group = 0; group < problem_.num_groups(); ++group) {
      while (plan_.group_site[group] == kUnassigned) {
        const Plan first = cheapest([&](int32_t site) { return together(group, site); });
        const Plan second = cheapest([&](int32_t site) { return one_step(group, site); });
        const bool is_first = cost_of(problem_, first).total() <= cost_of(problem_, second).total();
        plan_ = rules_ == Rules::first || (rules_ == Rules::both && is_first) ? first : second;
      }
    }
    return plan_;
  }

 private:
  template <class Made>
  Plan cheapest(Made made) const {
    Plan best = made(0);
    for (int32_t site = 1; site < problem_.num_sites; ++site) {
      Plan plan = made(site);
      if (cost_of(problem_, plan).total() < cost_of(problem_, best).total()) {
        best = std::move(plan);
      }
    }
    return best;
  }

  void assign(Plan& plan, int32_t join, int32_t site) const {
    plan.join_site[static_cast<size_t>(join)] = site;
    for (const int32_t tuple : problem_.tuples[static_cast<size_t>(join)]) {
      const auto number = static_cast<size_t>(tuple);
      if (problem_.sites.is_empty(number) && plan.home[number] == kUnassigned) {
        plan.home[number] = site;
      }
    }
  }

  Plan together(size_t group, int32_t site) const {
    Plan plan = plan_;
    for (const int32_t join : problem_.joins[group]) {
      if (plan.join_site[static_cast<size_t>(join)] == kUnassigned) {
        assign(plan, join, site);
      }
    }
    plan.group_site[group] = site;
    return plan;
  }

  Plan one_step(size_t group, int32_t site) const {
    Plan plan = plan_;
    for (const int32_t join : problem_.joins[group]) {
      if (plan.join_site[static_cast<size_t>(join)] == kUnassigned) {
        assign(plan, join, site);
        return plan;
      }
    }
    plan.group_site[group] = site;
    return plan;
  }

  const Problem& problem_;
  Rules rules_;
  Plan plan_;
};

TEST(TwoPhaseGreedy, IsThePlannerOfThePaperStepByStep) {
  std::mt19937_64 draw(2);
  for (int number = 0; number < 300; ++number) {
    const Problem problem = drawn_problem(draw);
    for (const Rules rules : {Rules::both, Rules::first, Rules::second}) {
      EXPECT_EQ(assigned_greedily(problem, rules, Ties::lowest_site),
                SlowGreedy(problem, rules).run())
          << "problem " << number;
    }
  }
}

TEST(TwoPhaseLocalSearch, CountsWhatItMovesAndNeverGetsDearer) {
  std::mt19937_64 draw(3);
  for (int number = 0; number < 300; ++number) {
    const Problem problem = drawn_problem(draw);
    const Plan start = assigned_greedily(problem, Rules::both, Ties::lowest_site);
    Moves moves(problem, start);
    EXPECT_EQ(moves.cost(), cost_of(problem, start));
    for (int step = 0; step < 20; ++step) {
      const auto site = static_cast<int32_t>(draw() % static_cast<uint64_t>(problem.num_sites));
      const size_t group = draw() % problem.num_groups();
      problem.merges&& step % 2 == 0 ? moves.move_join(draw() % problem.num_joins(), site)
                                     : moves.move_cluster(group, site);
      EXPECT_EQ(moves.cost(), cost_of(problem, moves.plan())) << "problem " << number;
      if (step % 5 == 0) {
        moves.keep();
      }
      if (step % 7 == 6) {
        moves.undo();
        EXPECT_EQ(moves.cost(), cost_of(problem, moves.plan())) << "problem " << number;
      }
    }
    moves.undo_kept();
    EXPECT_EQ(moves.plan(), start) << "problem " << number;
    EXPECT_EQ(moves.cost(), cost_of(problem, start)) << "problem " << number;
    const Improved found = improved(problem, start);
    EXPECT_LE(cost_of(problem, found.plan).total(), cost_of(problem, start).total());
    EXPECT_EQ(found.plan, improved(problem, start).plan);
  }
}

TEST(TwoPhaseLocalSearch, KnowsWhatAMoveCostsAtLeast) {
  std::mt19937_64 draw(5);
  int num_equal = 0;
  for (int number = 0; number < 300; ++number) {
    const Problem problem = drawn_problem(draw);
    Moves moves(problem, assigned_greedily(problem, Rules::both, Ties::lowest_site));
    for (int step = 0; step < 20; ++step) {
      const auto site = static_cast<int32_t>(draw() % static_cast<uint64_t>(problem.num_sites));
      const size_t join = draw() % problem.num_joins();
      const size_t group = draw() % problem.num_groups();
      const bool is_join = problem.merges && step % 2 == 0;
      if (site == (is_join ? moves.site_of_join(join) : moves.site_of_group(group))) {
        continue;
      }
      const int64_t least =
          is_join ? moves.least_with_join(join, site) : moves.least_with_cluster(group, site);
      const int64_t before = moves.num_moves();
      is_join ? moves.count_join() : moves.count_cluster(group);
      const int64_t counted = moves.num_moves() - before;
      is_join ? moves.move_join(join, site) : moves.move_cluster(group, site);
      EXPECT_EQ(moves.num_moves() - before, 2 * counted);
      EXPECT_LE(least, moves.cost().total()) << "problem " << number;
      num_equal += least == moves.cost().total() ? 1 : 0;
      step % 3 == 0 ? moves.keep() : moves.undo();
    }
  }
  EXPECT_GT(num_equal, 0);
}

/// The problem with every tuple ten times.
Problem ten_times(const Problem& problem) {
  constexpr int32_t kTimes = 10;
  Problem all = problem;
  all.send_cost.clear();
  all.sites = SiteRows(problem.num_sites);
  for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
    std::vector<int32_t> sites;
    problem.sites.for_each(tuple, [&](int32_t site) { sites.push_back(site); });
    for (int32_t time = 0; time < kTimes; ++time) {
      add_tuple(all, problem.send_cost[tuple], sites);
    }
  }
  all.tuples = Lists();
  for (size_t join = 0; join < problem.num_joins(); ++join) {
    all.tuples.add_list();
    for (const int32_t tuple : problem.tuples[join]) {
      for (int32_t time = 0; time < kTimes; ++time) {
        all.tuples.append(tuple * kTimes + time);
      }
    }
  }
  return all;
}

TEST(TwoPhaseLocalSearch, CondensedProblemsCostTheSameAndMoveAlike) {
  std::mt19937_64 draw(6);
  size_t num_fewer = 0;
  for (int number = 0; number < 200; ++number) {
    const Problem problem = ten_times(drawn_problem(draw));
    const Plan start = assigned_greedily(problem, Rules::both, Ties::lowest_site);
    const Condensed few = condensed(problem, start.home);
    const Plan of_few = few.condensed(start);
    EXPECT_EQ(few.whole(of_few), start);
    EXPECT_EQ(cost_of(few.problem, of_few), cost_of(problem, start)) << "problem " << number;
    num_fewer += few.problem.num_tuples() < problem.num_tuples() ? 1 : 0;
    Moves one_by_one(problem, start);
    Moves together(few.problem, of_few);
    for (int step = 0; step < 20; ++step) {
      const auto site = static_cast<int32_t>(draw() % static_cast<uint64_t>(problem.num_sites));
      const size_t group = draw() % problem.num_groups();
      one_by_one.move_cluster(group, site);
      together.move_cluster(group, site);
      EXPECT_EQ(one_by_one.cost(), together.cost()) << "problem " << number;
      EXPECT_EQ(few.whole(together.plan()), one_by_one.plan()) << "problem " << number;
    }
  }
  EXPECT_GT(num_fewer, 50);
}

TEST(TwoPhaseLocalSearch, KnowsTheBusiestSiteWhateverIsTakenBack) {
  std::mt19937_64 draw(4);
  StageLoads loads(5);
  std::vector<int64_t> by_site(5, 10'000);
  for (int32_t site = 0; site < 5; ++site) {
    loads.add(site, 10'000);
  }
  loads.keep();
  for (int step = 0; step < 2000; ++step) {
    const std::vector<int64_t> before = by_site;
    for (int each = 0; each < 3; ++each) {
      const auto site = static_cast<int32_t>(draw() % 5);
      const auto more = static_cast<int64_t>(draw() % 7) - 3;
      by_site[static_cast<size_t>(site)] += more;
      loads.add(site, more);
    }
    ASSERT_EQ(loads.most(), *std::max_element(by_site.begin(), by_site.end()));
    if (step % 3 == 0) {
      loads.keep();
      continue;
    }
    for (int32_t site = 0; site < 5; ++site) {
      const auto number = static_cast<size_t>(site);
      loads.add(site, before[number] - by_site[number]);
    }
    loads.restore();
    by_site = before;
    ASSERT_EQ(loads.most(), *std::max_element(by_site.begin(), by_site.end()));
  }
}

TEST(TwoPhaseLocalSearch, StopsAtItsBound) {
  const Problem problem = tiled_product(4);
  const Plan start = assigned_greedily(problem, Rules::both, Ties::lowest_site);
  const Improved found = improved(problem, start, 5);
  EXPECT_TRUE(found.is_bounded);
  EXPECT_LE(found.num_moves, 5 + 6);  // two groups with their join groups are exchanged at once
}

/// A product of 4 x 4 x 4 tiles on four sites: each makes a quarter of the result from two rows and
/// two columns of tiles, half of which it has.
TEST(TwoPhasePlanned, FindsBlocksOfAProduct) {
  Problem problem;
  problem.num_sites = 4;
  problem.sites = SiteRows(4);
  for (int tuple = 0; tuple < 32; ++tuple) {
    add_tuple(problem, 3, {});
  }
  problem.extents = {4, 4, 4};
  for (int32_t i = 0; i < 4; ++i) {
    for (int32_t j = 0; j < 4; ++j) {
      for (int32_t k = 0; k < 4; ++k) {
        add_join(problem, {i * 4 + k, 16 + k * 4 + j}, 2, 3);
        problem.join_key.push_back(k);
        for (const int32_t number : {i, j, k}) {
          problem.coordinates.push_back(number);
        }
      }
      const auto first = static_cast<int32_t>(problem.num_joins()) - 4;
      problem.group_key.push_back(static_cast<int64_t>(problem.num_groups()));
      add_group(problem, {first, first + 1, first + 2, first + 3}, 1);
    }
  }
  EXPECT_EQ(cost_of(problem, planned(problem)), (Cost{24, 32, 0, 4, 96}));
}

}  // namespace
}  // namespace tessera::placement::two_phase::two_phase_greedy_test
