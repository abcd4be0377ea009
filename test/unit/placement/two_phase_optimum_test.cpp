#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "placement/two_phase/greedy.h"
#include "placement/two_phase/solve.h"
#include "unit/placement/integer_program.h"
#include "unit/placement/two_phase_problems.h"

namespace tessera::placement::two_phase::two_phase_optimum_test {
namespace {

bool has_cbc() {
  return std::system("cbc -quit > /dev/null 2>&1") == 0;
}

/// Of four join groups 5, of all eight 8, where every cost is 1.
TEST(TwoPhaseOptimum, OfTheWorkedExample) {
  if (!has_cbc()) {
    GTEST_SKIP() << "cbc is not installed";
  }
  EXPECT_EQ(optimum_by_cbc(tiled_product(2)), 5);
  EXPECT_EQ(optimum_by_cbc(tiled_product(4)), 8);
  EXPECT_EQ(cost_of(tiled_product(2), planned(tiled_product(2))).total(), 5);
  EXPECT_EQ(cost_of(tiled_product(4), planned(tiled_product(4))).total(), 8);
}

/// The search is never below the optimum, and on problems of this size hardly above. How far it is,
/// and how far the greedy planner of the paper, is printed.
TEST(TwoPhaseOptimum, TheSearchComesClose) {
  if (!has_cbc()) {
    GTEST_SKIP() << "cbc is not installed";
  }
  std::mt19937_64 draw(1);
  constexpr int kProblems = 16;
  double sum = 0;
  double most = 0;
  double greedy = 0;
  for (int number = 0; number < kProblems; ++number) {
    const Problem problem = drawn_problem(draw);
    const std::optional<int64_t> optimum = optimum_by_cbc(problem);
    ASSERT_TRUE(optimum.has_value());
    const int64_t found = cost_of(problem, planned(problem)).total();
    EXPECT_GE(found, *optimum) << "problem " << number;
    const double ratio = static_cast<double>(found) / static_cast<double>(*optimum);
    sum += ratio;
    const Plan plan = assigned_greedily(problem, Rules::both, Ties::lowest_site);
    greedy += static_cast<double>(cost_of(problem, plan).total()) / static_cast<double>(*optimum);
    most = std::max(most, ratio);
  }
  std::printf("over the optimum: mean %.3f, largest %.3f; of the paper's greedy planner %.3f\n",
              sum / kProblems, most, greedy / kProblems);
  EXPECT_LE(most, 1.1);
  EXPECT_LE(sum / kProblems, 1.02);
}

}  // namespace
}  // namespace tessera::placement::two_phase::two_phase_optimum_test
