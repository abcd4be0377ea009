#include "optimizer/assignment/lower_bound.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "optimizer/assignment/exact_search.h"
#include "unit/optimizer/assignment/drawn_problem.h"

namespace tessera::optimizer::assignment::lower_bound_test {
namespace {

/// Costs are whole numbers; their shares are rounded.
constexpr double kSlack = 1e-6;

/// Whether no statement is read at two places, also not by one that reads it twice.
bool is_read_once(const Problem& problem) {
  return std::all_of(problem.dependencies_out.begin(), problem.dependencies_out.end(),
                     [](const auto& dependencies) { return dependencies.size() <= 1; });
}

TEST(LowerBound, RisesAndStaysBelowTheCheapest) {
  int num_raised = 0;
  for (uint32_t seed = 400; seed < 430; ++seed) {
    const Problem problem = problem_with(random_program(seed, 5), 6);
    const double least = brute_force(problem);
    LowerBound bound(problem);
    const double first = bound.value();
    double last = first;
    for (int sweep = 0; sweep < 5; ++sweep) {
      bound.sweep();
      EXPECT_GE(bound.value(), last - kSlack) << "seed " << seed;
      EXPECT_LE(bound.value(), least + kSlack) << "seed " << seed;
      last = bound.value();
    }
    num_raised += last > first + kSlack ? 1 : 0;
    EXPECT_GE(cost_of(problem, bound.suggestion()), least) << "seed " << seed;
  }
  EXPECT_GT(num_raised, 0);
}

TEST(LowerBound, IsExactWhereNoStatementIsReadTwice) {
  int num_forests = 0;
  for (uint32_t seed = 430; seed < 530; ++seed) {
    const Problem problem = problem_with(random_program(seed, 3), 4);
    if (is_read_once(problem)) {
      LowerBound bound(problem);
      bound.sweep();
      EXPECT_NEAR(bound.value(), brute_force(problem), kSlack) << "seed " << seed;
      ++num_forests;
    }
  }
  EXPECT_GT(num_forests, 10);
}

TEST(LowerBound, LeavesOutNoPartOfTheCheapest) {
  int num_left_out = 0;
  for (uint32_t seed = 530; seed < 560; ++seed) {
    const Problem problem = problem_with(random_program(seed, 5), 6);
    const double least = brute_force(problem);
    LowerBound bound(problem);
    for (int sweep = 0; sweep < 3; ++sweep) {
      bound.sweep();
      ASSERT_TRUE(bound.prune(least + 1, kSlack)) << "seed " << seed;
    }
    const std::vector<std::vector<int32_t>> left = bound.remaining();
    for (size_t variable = 0; variable < left.size(); ++variable) {
      num_left_out += static_cast<int>(problem.domain(variable).size() - left[variable].size());
    }
    const std::optional<Assignment> found = eliminate(problem, left, {});
    ASSERT_TRUE(found);
    EXPECT_EQ(cost_of(problem, *found), least) << "seed " << seed;
  }
  EXPECT_GT(num_left_out, 0);
}

TEST(LowerBound, ASearchThatGivesUpHasABoundBelowTheCheapest) {
  const SearchLimits limits{400'000'000, 1, {1, 1}};
  int with_gap = 0;
  for (uint32_t seed = 300; seed < 360; ++seed) {
    const Problem problem = problem_with(random_program(seed, 5), 6);
    const Solution found = exact_search(problem, {Assignment(problem.num_variables(), 0)}, limits);
    const double least = brute_force(problem);
    ASSERT_TRUE(found.lower_bound);
    EXPECT_LE(*found.lower_bound, least) << "seed " << seed;
    EXPECT_GE(found.cost, least);
    EXPECT_EQ(found.cost, cost_of(problem, found.assignment));
    with_gap += *found.lower_bound < found.cost ? 1 : 0;
  }
  EXPECT_GT(with_gap, 0);
}

}  // namespace
}  // namespace tessera::optimizer::assignment::lower_bound_test
