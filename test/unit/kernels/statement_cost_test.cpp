#include "kernels/cpu/cost/statement_cost.h"

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/expr/registries.h"

namespace tessera::kernels::statement_cost_test {
namespace {

/// Bytes of a program's only statement over whole labels.
double bytes_of(const std::string& text) {
  const expr::TileProgram program =
      expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}}, expr::all_functions());
  CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    shape.ranges.push_back({0, label.extent});
  }
  return bytes_moved(program.statements[0], shape);
}

TEST(StatementCost, CountsTheElementsUnderAWindowOnce) {
  EXPECT_EQ(bytes_of("[i=100] (f32) o[i] = x0[i]"), 800);
  // 100 results and the 102 elements under a window of 3, whichever label is written first.
  EXPECT_EQ(bytes_of("[i=100,k=3] (f32) o[i] = sum[k] x0[i+k]"), 808);
  EXPECT_EQ(bytes_of("[i=100,k=3] (f32) o[i] = sum[k] x0[k+i]"), 808);
  EXPECT_EQ(bytes_of("[i=100,k=3] (f32) o[i] = sum[k] x0[2*i+k]"), 1204);  // 100 and 201
  EXPECT_EQ(bytes_of("[i=100] (f32) o[i] = x0[7*i]"), 800);
}

TEST(StatementCost, CountsWhatAGatherReadsAtEveryValueOfItsTable) {
  // 100 * 4 results, the table of 100 numbers of 8 bytes, and 100 * 4 elements of x0.
  EXPECT_EQ(bytes_of("[i=100,j=4] (f32,i64) o[i,j] = x0[x1[i],j]"), 4000);
}

TEST(StatementCost, CountsEveryOperandByItsOwnType) {
  EXPECT_EQ(bytes_of("[i=100] (i8) o[i] = f64(x0[i])"), 100 * (8 + 1));
  EXPECT_EQ(bytes_of("[i=100] (f64,f64) o[i] = x0[i] < x1[i]"), 100 * (1 + 8 + 8));
}

}  // namespace
}  // namespace tessera::kernels::statement_cost_test
