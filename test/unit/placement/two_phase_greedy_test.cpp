#include <random>

#include <gtest/gtest.h>

#include "placement/two_phase/greedy.h"
#include "unit/placement/two_phase_problems.h"

namespace tessera::placement::two_phase {
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

}  // namespace
}  // namespace tessera::placement::two_phase
