#include "kernels/cpu/cost/overlap.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace tessera::kernels::overlap_test {
namespace {

KernelRates of_memory(double bytes_per_second) {
  KernelRates rates;
  rates.bytes_per_second = bytes_per_second;
  return rates;
}

TEST(Overlap, TakesAtLeastTheLongerAndLessThanBoth) {
  for (const double computing : {0.5, 1.0, 4.0}) {
    const Cost cost = overlapping_cost(7, 1000, computing, of_memory(1000));
    EXPECT_GT(cost.seconds, std::max(computing, 1.0)) << computing;
    EXPECT_LT(cost.seconds, computing + 1) << computing;
    EXPECT_EQ(cost.flops, 7);
    EXPECT_EQ(cost.bytes, 1000);
  }
}

TEST(Overlap, OfTwoThatMemoryBoundsTheOneThatComputesLessIsCheaper) {
  EXPECT_LT(overlapped_seconds(0.5, 10), overlapped_seconds(0.6, 10));
  EXPECT_LT(overlapped_seconds(10, 0.5), overlapped_seconds(10, 0.6));
}

TEST(Overlap, GivesBackWhatComputes) {
  for (const double computing : {0.25, 1.0, 8.0}) {
    const KernelRates rates = of_memory(500);
    EXPECT_DOUBLE_EQ(computing_seconds(overlapping_cost(0, 500, computing, rates), rates),
                     computing);
  }
}

}  // namespace
}  // namespace tessera::kernels::overlap_test
