#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/choice.h"
#include "kernels/cpu/blocked/loading.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

namespace tessera::kernels::block_loading_test {

namespace {

/// A program of one statement, called for all of it.
struct Call {
  expr::TileProgram program;
  CallShape shape;

  explicit Call(const char* text)
      : program(expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                                    expr::all_functions())) {
    for (const expr::LabelDecl& label : program.labels) {
      shape.ranges.push_back({0, label.extent});
    }
  }

  double num_rows(bool may_have_rows) const {
    std::vector<Streamed> read;
    for (const expr::Access* access : expr::accesses_of(program.statements[0].bodies[0])) {
      read.emplace_back(*access);
    }
    return num_loaded_rows(program.statements[0], read, shape, may_have_rows);
  }
};

TEST(BlockLoading, CountsTheRowsThatAreCopied) {
  EXPECT_DOUBLE_EQ(Call("[i=500,j=70] (f32,f32) o[i,j] = x0[i,j] + x1[i,j]").num_rows(false), 0);
  EXPECT_DOUBLE_EQ(Call("[i=500,j=64] (f32,f32) o[i,j] = x0[i,j] + x1[j]").num_rows(false), 500);
  EXPECT_DOUBLE_EQ(Call("[i=500,j=2048] (f32,f32) o[i,j] = x0[i,j] + x1[i]").num_rows(false), 0);
  EXPECT_DOUBLE_EQ(Call("[i=0,j=64] (f32,f32) o[i,j] = x0[i,j] + x1[j]").num_rows(false), 0);
  EXPECT_DOUBLE_EQ(
      Call("[i=500,j=250] (f32) o[i,j] = x0[i,j+1] + x0[i+1,j] + x0[i+2,j+1] + x0[i+1,j+2]")
          .num_rows(false),
      0);
  EXPECT_DOUBLE_EQ(
      Call("[b=200,i=8,j=8,k=8] (f32,f32) o[b,i,j] = sum[k] x0[b,i,k] * x1[b,k,j]").num_rows(false),
      2 * 200 * 8 * 8);
}

TEST(BlockLoading, LetsSmallProductsGoToGemm) {
  for (const char* text : {"[b=9000,i=2,j=2,k=2] (f32,f32) o[b,i,j] = sum[k] x0[b,i,k] * x1[b,k,j]",
                           "[b=9000,i=8,j=8,k=8] (f64,f64) o[b,i,j] = sum[k] x0[b,i,k] * x1[b,k,j]",
                           "[i=9000,j=2,k=64] (f32,f32) o[i,j] = sum[k] x0[i,k] * x1[k,j]"}) {
    const Call call(text);
    EXPECT_EQ(choose(call.program, call.shape, known().context).kernel->name.substr(0, 4), "gemm")
        << text;
  }
  const Call batch_last("[i=8,j=8,b=9000,k=8] (f32,f32) o[i,j,b] = sum[k] x0[i,k,b] * x1[k,j,b]");
  EXPECT_EQ(choose(batch_last.program, batch_last.shape, known().context).kernel->name,
            "blocked_evaluator");
}

}  // namespace

}  // namespace tessera::kernels::block_loading_test
