#include <memory>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/kernels/kernel_runner.h"

/// The kernel of functions of whole arrays on operands in any order, part of larger tiles, and on
/// calls of parts of the other labels. Matrices are small and triangular of ones, so all is exact.
namespace tessera::kernels::whole_kernel_test {

namespace {

expr::TileProgram program_of(const std::string& text) {
  return expr::parse_program(SourceText{"program", text}, {}, {known().aggregates, {}},
                             known().functions);
}

/// Runs the kernel on these tiles; what it makes has the labels' lengths in `shape`.
Status run(const expr::TileProgram& program, const CallShape& shape,
           const std::vector<TileView>& inputs, const TestTile& output,
           DataFault* fault = nullptr) {
  const OrRefusal<KernelPlan> plan =
      all_kernels().find("whole")->read(program, shape, known().context);
  EXPECT_TRUE(plan) << plan.reason();
  std::vector<std::byte> room(static_cast<size_t>(plan->workspace_bytes + 64));
  void* start = room.data();
  size_t space = room.size();
  auto* const workspace = static_cast<std::byte*>(
      std::align(64, static_cast<size_t>(plan->workspace_bytes), start, space));
  const std::vector<TileView> outputs = {output.view()};
  return plan->prepare()->run({inputs, outputs, shape.ranges, false, workspace, fault});
}

double& at(const TestTile& tile, size_t element) {
  return tile.view().as<double>()[element];
}

/// Upper triangles of ones; matrix n has n + 1 in its upper right corner.
void fill_triangles(const TestTile& tile, size_t count, size_t size, bool is_transposed) {
  for (size_t n = 0; n < count; ++n) {
    for (size_t i = 0; i < size; ++i) {
      for (size_t j = 0; j < size; ++j) {
        const size_t place = is_transposed ? j * size + i : i * size + j;
        const bool is_corner = i == 0 && j + 1 == size && size > 1;
        at(tile, n * size * size + place) =
            is_corner ? static_cast<double>(n + 1) : (i <= j ? 1 : 0);
      }
    }
  }
}

TEST(WholeKernel, InvertsMatricesInAnyOrderOfModes) {
  for (const bool is_transposed : {false, true}) {
    const std::string order = is_transposed ? "n,j,i" : "n,i,j";
    const expr::TileProgram program =
        program_of("[n=5,i=2,j=2] (f64) o[n,i,j] = whole[i,j] inverse(x0[" + order + "])");
    TestTile input(DType::f64, {{0, 0, 0}, {5, 2, 2}});
    fill_triangles(input, 5, 2, is_transposed);
    // A call of the matrices 1 to 3 alone.
    TestTile output(DType::f64, {{1, 0, 0}, {3, 2, 2}});
    ASSERT_EQ(run(program, {{{1, 3}, {0, 2}, {0, 2}}}, {input.view()}, output), Status::ok);
    for (size_t n = 0; n < 3; ++n) {
      EXPECT_EQ(at(output, 4 * n), 1);
      EXPECT_EQ(at(output, 4 * n + 1), -static_cast<double>(n + 2));
      EXPECT_EQ(at(output, 4 * n + 2), 0);
      EXPECT_EQ(at(output, 4 * n + 3), 1);
    }
  }
}

TEST(WholeKernel, SolvesForColumnsWhereverTheyStand) {
  // x[j,k,n], of which n alone is a label of the matrices: k are columns.
  const expr::TileProgram program =
      program_of("[j=3,k=4,n=2,i=3] (f64,f64) o[j,k,n] = whole[i,j] solve(x0[n,i,j], x1[k,i])");
  TestTile matrices(DType::f64, {{0, 0, 0}, {2, 3, 3}});
  fill_triangles(matrices, 2, 3, false);
  TestTile right(DType::f64, {{0, 0}, {4, 3}});
  std::mt19937_64 random(1);
  right.fill(random);
  TestTile output(DType::f64, {{0, 0, 0}, {3, 4, 2}});
  ASSERT_EQ(
      run(program, {{{0, 3}, {0, 4}, {0, 2}, {0, 3}}}, {matrices.view(), right.view()}, output),
      Status::ok);
  for (size_t n = 0; n < 2; ++n) {
    for (size_t k = 0; k < 4; ++k) {
      for (size_t i = 0; i < 3; ++i) {
        double sum = 0;
        for (size_t j = 0; j < 3; ++j) {
          sum += at(matrices, 9 * n + 3 * i + j) * at(output, 8 * j + 2 * k + n);
        }
        EXPECT_EQ(sum, at(right, 3 * k + i)) << n << k << i;
      }
    }
  }
}

TEST(WholeKernel, SaysWhichMatrixIsSingular) {
  const expr::TileProgram program =
      program_of("[n=4,i=2,j=2] (f64) o[n,i,j] = whole[i,j] inverse(x0[n,i,j])");
  TestTile input(DType::f64, {{0, 0, 0}, {4, 2, 2}});
  fill_triangles(input, 4, 2, false);
  at(input, 12) = 0;  // the last matrix
  TestTile output(DType::f64, {{2, 0, 0}, {2, 2, 2}});
  std::vector<int64_t> labels(3);
  DataFault fault{labels};
  EXPECT_EQ(run(program, {{{2, 2}, {0, 2}, {0, 2}}}, {input.view()}, output, &fault),
            Status::singular_matrix);
  EXPECT_TRUE(fault.names_array);
  EXPECT_EQ(describe(Status::singular_matrix, fault, program),
            describe(Status::singular_matrix) + ", where n = 3");
}

TEST(WholeKernel, RefusesPartsOfAnArray) {
  const expr::TileProgram program =
      program_of("[n=4,i=2,j=2] (f64) o[n,i,j] = whole[i,j] inverse(x0[n,i,j])");
  const Kernel& kernel = *all_kernels().find("whole");
  EXPECT_EQ(refusal(kernel, program, {{{0, 4}, {0, 2}, {0, 1}}}), "a label of the arrays is cut");
  EXPECT_EQ(refusal(kernel, program, {{{0, 1}, {0, 2}, {0, 2}}}), "");
  EXPECT_EQ(refusal(kernel, program_of("[i=4] (f64) o[i] = exp(x0[i])"), {{{0, 4}}}),
            "it is no function of whole arrays");
  for (const Kernel& other : all_kernels().all()) {
    if (other.name != "whole" && other.name != "fused") {
      EXPECT_EQ(refusal(other, program, {{{0, 4}, {0, 2}, {0, 2}}}),
                "it calls no functions of whole arrays")
          << other.name;
    }
  }
}

TEST(WholeKernel, EveryFunctionOfWholeArraysHasCode) {
  int num_functions = 0;
  for (const std::string& name : known().functions.names()) {
    num_functions += known().functions.find(name)->core ? 1 : 0;
  }
  int num_run = 0;
  for (const char* const text :
       {"[i=2,j=2] (f64) o[i,j] = whole[i,j] inverse(x0[i,j])",
        "[j=2,i=2] (f64,f64) o[j] = whole[i,j] solve(x0[i,j], x1[i])",
        "[i=2,j=2] (f64) o[] = whole[i,j] det(x0[i,j])",
        "[i=2,j=2] (f64) o[] = whole[i,j] logabsdet(x0[i,j])",
        "[i=2,j=2] (f64) o[] = whole[i,j] signdet(x0[i,j])",
        "[i=2,j=2] (f64) o[i,j] = whole[i,j] cholesky(x0[i,j])",
        "[k=2] (i64,f64) o[] = whole[k] random_categorical(x0[], x1[k])",
        "[k=2] (i64,f64) o[k] = whole[k] random_dirichlet(x0[], x1[k])",
        "[k=2] (i64,i64,f64) o[k] = whole[k] random_multinomial(x0[], x1[], x2[k])"}) {
    const expr::TileProgram program = program_of(text);
    CallShape shape;
    for (const expr::LabelDecl& label : program.labels) {
      shape.ranges.push_back({0, label.extent});
    }
    EXPECT_EQ(refusal(*all_kernels().find("whole"), program, shape), "") << text;
    ++num_run;
  }
  EXPECT_EQ(num_run, num_functions);
}

}  // namespace

}  // namespace tessera::kernels::whole_kernel_test
