#include "plan/plan_size.h"

#include <gtest/gtest.h>

namespace tessera::plan::plan_size_test {
namespace {

TEST(PlanSize, CountsWhatIsBeyondTheFreeTasks) {
  EXPECT_EQ(counted_plan_bytes(1), 0);
  EXPECT_EQ(counted_plan_bytes(kFreeTasks), 0);
  EXPECT_GT(counted_plan_bytes(kFreeTasks + 1), 0);
  EXPECT_EQ(counted_plan_bytes(kFreeTasks + 2), 2 * counted_plan_bytes(kFreeTasks + 1));
}

}  // namespace
}  // namespace tessera::plan::plan_size_test
