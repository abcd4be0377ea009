#include <string>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// What kernels are expected to take beside each other, by rates of a machine that reads quickly.
namespace tessera::kernels::evaluator_cost_test {
namespace {

/// Seconds of a kernel's call over whole labels.
double seconds_of(const char* kernel, const std::string& text) {
  const expr::TileProgram program =
      expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}}, expr::all_functions());
  CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    shape.ranges.push_back({0, label.extent});
  }
  Machine machine = known().machine;
  machine.rates.bytes_per_second = 37e9;
  machine.rates.streamed_bytes_per_second = 47e9;
  machine.rates.permuted_bytes_per_second = 28e9;
  const Context context{known().functions, known().aggregates, all_kernels(), machine};
  const auto plan = all_kernels().find(kernel)->read(program, shape, context);
  EXPECT_TRUE(plan) << text;
  return plan->cost.seconds;
}

TEST(EvaluatorCost, CountsWhatABlockHasOneOfOnce) {
  const std::string labels = "[i=64,j=8192] (f32,f32) o[i,j] = x0[i,j] * ";
  const double plain = seconds_of("blocked_evaluator", labels + "x1[i]");
  EXPECT_LT(seconds_of("blocked_evaluator", labels + "sqrt(x1[i] + 1)"), 1.01 * plain);
  EXPECT_GT(seconds_of("blocked_evaluator", labels + "sqrt(x1[j] + 1)"), 1.5 * plain);
}

TEST(EvaluatorCost, IsPositiveWhereAllOfARowIsTheSame) {
  EXPECT_GT(seconds_of("blocked_evaluator",
                       "[i=4,j=100000] (i8) (o0,o1)[i] = mean[j] (f64(x0[i]), 1:i64)"),
            0);
}

TEST(EvaluatorCost, LeavesShortRowsToCopies) {
  for (const char* const text : {"[h=16,s=512,d=64] (f32) o[h,s,d] = x0[s,h,d]",
                                 "[j=40,i=36,k=350] (f32) o[j,i,k] = x0[i,j,k]"}) {
    EXPECT_LT(seconds_of("copy", text), seconds_of("blocked_evaluator", text)) << text;
  }
}

TEST(EvaluatorCost, OfBytesAndShortRunsCopiesTakeLonger) {
  const double wide = seconds_of("copy", "[i=2048,j=2048] (f32) o[i,j] = x0[j,i]");
  EXPECT_GT(seconds_of("copy", "[i=4096,j=4096] (u8) o[i,j] = x0[j,i]"), 1.2 * wide / 2);
  EXPECT_GT(seconds_of("copy", "[i=64,j=1024,k=64] (f32) o[k,j,i] = x0[i,j,k]"), 1.3 * wide);
}

}  // namespace
}  // namespace tessera::kernels::evaluator_cost_test
