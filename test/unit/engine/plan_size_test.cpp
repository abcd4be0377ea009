#include "plan/plan_size.h"

#include <gtest/gtest.h>

#include "engine/session.h"

namespace tessera::engine::plan_size_test {
namespace {

struct Case {
  const char* program;
  std::map<std::string, int64_t> tile;
};

class PlanSize : public testing::TestWithParam<Case> {};

TEST_P(PlanSize, IsKnownBeforeThePlanIsMade) {
  Settings settings;
  settings.tile = GetParam().tile;
  const Session session(settings);
  const ArrayType square{DType::f64, {12, 12}};
  const Stages stages = session.plan(Program{{"p.ein", GetParam().program}}, {{{"A", square}}, {}});
  EXPECT_EQ(plan::expected_tasks(*stages.relations()),
            static_cast<int64_t>(stages.plan().tasks.tasks.size()));
}

INSTANTIATE_TEST_SUITE_P(
    Programs, PlanSize,
    testing::Values(
        Case{"input A[i,j]\nB[i,j] = A[i,j] + 1\noutput B\n", {{"i", 5}, {"j", 4}}},
        Case{"input A[i,j]\nB[i,k] = sum[j] A[i,j] * A[j,k]\noutput B\n",
             {{"i", 5}, {"j", 4}, {"k", 3}}},
        Case{"input A[i,j]\nB[i,j] = softmax[j](A[i,j])\nC[i,j] = softmax[i](B[i,j])\n"
             "output C\n",
             {{"i", 3}, {"j", 5}}},
        Case{"input A[i,j]\nB[i,j] = exp(A[i,j])\nC[j,k] = B[j,k] + A[j,k]\noutput C\n",
             {{"i", 5}, {"j", 3}, {"k", 4}}},
        Case{"input A[i,j]\nB[j,i] = A[i,j]\nC = sum[i,j] A[i,j] * B[i,j]\noutput B, C\n",
             {{"i", 5}, {"j", 5}}}));

}  // namespace
}  // namespace tessera::engine::plan_size_test
