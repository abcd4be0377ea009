#include "optimizer/assignment/elimination.h"

#include <gtest/gtest.h>

#include "unit/optimizer/assignment/drawn_problem.h"

namespace tessera::optimizer::assignment::elimination_test {
namespace {

std::vector<std::vector<int32_t>> all_alternatives(const Problem& problem) {
  std::vector<std::vector<int32_t>> all(problem.num_variables());
  for (size_t variable = 0; variable < all.size(); ++variable) {
    for (size_t number = 0; number < problem.domain(variable).size(); ++number) {
      all[variable].push_back(static_cast<int32_t>(number));
    }
  }
  return all;
}

TEST(Elimination, FindsTheCheapestOfAll) {
  for (uint32_t seed = 100; seed < 140; ++seed) {
    const Problem problem = problem_with(random_program(seed, 5), 4);
    const std::optional<Assignment> found = eliminate(problem, all_alternatives(problem), {});
    ASSERT_TRUE(found);
    EXPECT_EQ(cost_of(problem, *found), brute_force(problem)) << "seed " << seed;
  }
}

TEST(Elimination, TakesOnlyWhatIsLeft) {
  int num_dearer = 0;
  for (uint32_t seed = 140; seed < 160; ++seed) {
    const Problem problem = problem_with(random_program(seed, 5), 4);
    std::vector<std::vector<int32_t>> last = all_alternatives(problem);
    Assignment wanted;
    for (std::vector<int32_t>& alternatives : last) {
      alternatives.erase(alternatives.begin(), alternatives.end() - 1);
      wanted.push_back(alternatives[0]);
    }
    EXPECT_EQ(eliminate(problem, last, {}), wanted) << "seed " << seed;
    num_dearer += cost_of(problem, wanted) > brute_force(problem) ? 1 : 0;
  }
  EXPECT_GT(num_dearer, 0);
}

TEST(Elimination, GivesUpAtItsLimits) {
  const Problem problem = problem_with(random_program(100, 5), 4);
  const std::vector<std::vector<int32_t>> all = all_alternatives(problem);
  EXPECT_EQ(eliminate(problem, all, {1, 1 << 28}), std::nullopt);
  EXPECT_EQ(eliminate(problem, all, {1 << 22, 1}), std::nullopt);
  EXPECT_NE(eliminate(problem, all, {}), std::nullopt);
}

}  // namespace
}  // namespace tessera::optimizer::assignment::elimination_test
