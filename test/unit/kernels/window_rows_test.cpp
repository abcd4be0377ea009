#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// Maps that read windows row by row, of rows that are no whole vectors, against `reference`.
namespace tessera::kernels::window_rows_test {

namespace {

constexpr int64_t kRows = 5;

/// o[i,j] = a row of one operand and a window of another.
expr::TileProgram program_of(int64_t columns) {
  const std::string text = "[i=" + std::to_string(kRows) + ",j=" + std::to_string(columns) +
                           "] (f32,f32) o[i,j] = x0[i,j] + x1[i,j+1] + x1[i+1,j] + x1[i+2,j+2]";
  return expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                             expr::all_functions());
}

struct WindowRows : testing::TestWithParam<int64_t> {
  WindowRows() {
    std::mt19937_64 random(11);
    row.fill(random);
    window.fill(random);
    wanted =
        run_kernel(*all_kernels().find("reference"), program, shape, {row.view(), window.view()});
  }

  int64_t columns = GetParam();
  expr::TileProgram program = program_of(columns);
  CallShape shape{{{0, kRows}, {0, columns}}, false};
  TestTile row{DType::f32, whole({kRows, columns})};
  TestTile window{DType::f32, whole({kRows + 2, columns + 2})};
  const Kernel& kernel = *all_kernels().find("blocked_evaluator");
  Outcome wanted;
};

TEST_P(WindowRows, AreWhatTheReferenceGives) {
  const Outcome got = run_kernel(kernel, program, shape, {row.view(), window.view()});
  ASSERT_EQ(got.status, Status::ok);
  EXPECT_EQ(first_difference(got.outputs[0], wanted.outputs[0]), -1);
}

TEST_P(WindowRows, AreComputedOnceWhereTheResultTakesTheMemoryOfAnOperand) {
  const OrRefusal<KernelPlan> plan = kernel.read(program, shape, known().context);
  const TestTile workspace(DType::u8, whole({plan->workspace_bytes + 64}));
  const std::vector<TileView> inputs = {row.view(), window.view()};
  const std::vector<TileView> outputs = {row.view()};
  ASSERT_EQ(plan->prepare()->run({inputs, outputs, shape.ranges, false, workspace.view().data}),
            Status::ok);
  EXPECT_EQ(first_difference(row, wanted.outputs[0]), -1);
}

TEST_P(WindowRows, AreMergedOnceWithEarlierStates) {
  const std::string text = "[c=1,i=" + std::to_string(kRows) + ",j=" + std::to_string(columns) +
                           "] (f32,f32) o[i,j] = sum[c] (x0[c,i,j] + x1[c,i+1,j+1])";
  const expr::TileProgram merged =
      expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}}, expr::all_functions());
  const CallShape with_states{{{0, 1}, {0, kRows}, {0, columns}}, true};
  std::mt19937_64 random(12);
  TestTile first{DType::f32, whole({1, kRows, columns})};
  TestTile second{DType::f32, whole({1, kRows + 2, columns + 2})};
  first.fill(random);
  second.fill(random);
  const std::vector<TileView> inputs = {first.view(), second.view()};
  const Outcome expected =
      run_kernel(*all_kernels().find("reference"), merged, with_states, inputs);
  const Outcome got = run_kernel(kernel, merged, with_states, inputs);
  ASSERT_EQ(got.status, Status::ok);
  EXPECT_EQ(first_difference(got.outputs[0], expected.outputs[0]), -1);
}

INSTANTIATE_TEST_SUITE_P(Columns, WindowRows,
                         testing::Values(127, 128, 130, 143, 250, 257, 1025, 1040, 3998));

}  // namespace

}  // namespace tessera::kernels::window_rows_test
