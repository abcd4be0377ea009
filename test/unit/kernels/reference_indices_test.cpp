#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/choice.h"
#include "unit/expr/registries.h"
#include "unit/kernels/kernel_runner.h"

/// Indices with boundaries, divisors and gathers, and scans: the reference kernel runs them, and
/// every other is refused them before it is asked.
namespace tessera::kernels::reference_indices_test {
namespace {

expr::TileProgram program_of(const std::string& text) {
  return expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                             expr::all_functions());
}

CallShape shape_of(const expr::TileProgram& program) {
  CallShape shape;
  for (const expr::LabelDecl& label : program.labels) {
    shape.ranges.push_back({0, label.extent});
  }
  return shape;
}

template <class T>
TestTile tile_of(DType dtype, const Shape& shape, const std::vector<T>& values) {
  TestTile tile(dtype, whole(shape));
  std::copy(values.begin(), values.end(), tile.view().as<T>());
  return tile;
}

const TestTile kCounting = tile_of<float>(DType::f32, {5}, {10, 11, 12, 13, 14});

Outcome run(const std::string& text, const std::vector<TileView>& inputs) {
  const expr::TileProgram program = program_of(text);
  const Registry registry = all_kernels();
  return run_kernel(*registry.find("reference"), program, shape_of(program), inputs);
}

template <class T = float>
std::vector<T> values_of(const std::string& text, const std::vector<TileView>& inputs) {
  const Outcome outcome = run(text, inputs);
  EXPECT_EQ(outcome.status, Status::ok) << text;
  const TestTile& tile = outcome.outputs.back();
  return {tile.view().as<T>(), tile.view().as<T>() + tile.count()};
}

using Floats = std::vector<float>;

TEST(ReferenceIndices, AWindowReadsItsPadItsEdgeOrItsMirror) {
  const auto read = [](const std::string& boundary) {
    return values_of("[i=5,k=3] (f32) o[i] = sum[k] x0[i+k-1 " + boundary + "]",
                     {kCounting.view()});
  };
  EXPECT_EQ(read("pad 0"), (Floats{21, 33, 36, 39, 27}));
  EXPECT_EQ(read("pad 0.5"), (Floats{21.5F, 33, 36, 39, 27.5F}));
  EXPECT_EQ(read("edge"), (Floats{31, 33, 36, 39, 41}));
  EXPECT_EQ(read("reflect"), (Floats{32, 33, 36, 39, 40}));
}

TEST(ReferenceIndices, APadIsRoundedAsAStoredElement) {
  const TestTile half = tile_of<Float16>(DType::f16, {1}, {Float16(1.0F)});
  const std::vector<float> values =
      values_of("[i=2] (f16) o[i] = f32(x0[i pad 2049])", {half.view()});
  EXPECT_EQ(values, (Floats{1, 2048}));  // 2049 is no f16
}

TEST(ReferenceIndices, ADivisorReadsWhereItDivides) {
  // The adjoint of y[h] = x[2*h + a]: what every x is read by.
  EXPECT_EQ(values_of("[i=6] (f32) o[i] = x0[(i-1)/2 pad -1]", {kCounting.view()}),
            (Floats{-1, 10, -1, 11, -1, 12}));
}

TEST(ReferenceIndices, AGatherReadsAtTheValuesOfATable) {
  const TestTile table = tile_of<int32_t>(DType::i32, {3}, {4, 0, 4});
  EXPECT_EQ(values_of("[i=3] (f32,i32) o[i] = x0[x1[i]]", {kCounting.view(), table.view()}),
            (Floats{14, 10, 14}));
  EXPECT_EQ(
      values_of("[i=3] (f32,i32) o[i] = x0[x1[i] + 1 pad 0]", {kCounting.view(), table.view()}),
      (Floats{0, 11, 0}));
  EXPECT_EQ(values_of<double>("[i=3] (f32,i32) o[i] = sum[] f64(x0[x1[x1[1]] edge])",
                              {kCounting.view(), table.view()}),
            (std::vector<double>{14, 14, 14}));
}

TEST(ReferenceIndices, AGatheredPositionOutsideIsAFault) {
  for (const int64_t position : {int64_t{5}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    const TestTile table = tile_of<int64_t>(DType::i64, {1}, {position});
    EXPECT_EQ(run("[i=1] (f32,i64) o[i] = x0[x1[i]]", {kCounting.view(), table.view()}).status,
              Status::out_of_range);
  }
  const TestTile table = tile_of<uint64_t>(DType::u64, {1}, {~uint64_t{0}});
  EXPECT_EQ(run("[i=1] (f32,u64) o[i] = x0[x1[i]]", {kCounting.view(), table.view()}).status,
            Status::out_of_range);
}

TEST(ReferenceScans, GoAlongTheirLabelEitherWayWithOrWithoutTheElement) {
  const auto scanned = [](const std::string& how) {
    return values_of("[i=5] (f32) o[i] = scan sum[i" + how + "] x0[i]", {kCounting.view()});
  };
  EXPECT_EQ(scanned(""), (Floats{10, 21, 33, 46, 60}));
  EXPECT_EQ(scanned("; exclusive"), (Floats{0, 10, 21, 33, 46}));
  EXPECT_EQ(scanned("; backward"), (Floats{60, 50, 39, 27, 14}));
  EXPECT_EQ(scanned("; backward exclusive"), (Floats{50, 39, 27, 14, 0}));
}

TEST(ReferenceScans, StartAnewForEveryValueOfTheOtherLabels) {
  const TestTile x = tile_of<float>(DType::f32, {2, 3}, {1, 2, 3, 10, 20, 30});
  EXPECT_EQ(values_of("[i=2,j=3] (f32) o[i,j] = scan sum[j] x0[i,j]", {x.view()}),
            (Floats{1, 3, 6, 10, 30, 60}));
  EXPECT_EQ(values_of("[i=2,j=3] (f32) o[j,i] = scan sum[i] x0[i,j]", {x.view()}),
            (Floats{1, 11, 2, 22, 3, 33}));
}

TEST(ReferenceScans, CarryStatesOfSeveralNumbersAndAreReadByLaterStatements) {
  const TestTile x = tile_of<float>(DType::f32, {4}, {3, 1, 5, 2});
  EXPECT_EQ(values_of<int64_t>("[i=4] (f32) (t0,t1)[i] = scan argmax[i] (x0[i], index(i));"
                               " o[i] = t1[i] * 10",
                               {x.view()}),
            (std::vector<int64_t>{0, 0, 20, 20}));
  EXPECT_EQ(values_of("[i=0] (f32) o[i] = scan sum[i] x0[i]", {x.view()}), Floats{});
}

TEST(EveryKernel, IsRefusedWhatItDoesNotDeclare) {
  const Registry registry = all_kernels();
  const auto scans = [](const Takes& takes) { return takes.scans; };
  const auto reads_all = [](const Takes& takes) { return takes.every_index; };
  struct Case {
    const char* text;
    bool (*is_declared)(const Takes&);
    const char* reason;
  };
  const Case cases[] = {
      {"[i=4] (f32) (o0,o1)[i] = scan argmax[i] (x0[i], index(i))", scans, "it runs no scans"},
      {"[i=4] (f32,i64) o[i] = x0[x1[i]]", reads_all,
       "it reads at sums of labels only: no gathered index, boundary or divisor"},
      {"[i=4] (f32) o[i] = x0[i+1 pad 0]", reads_all,
       "it reads at sums of labels only: no gathered index, boundary or divisor"},
      {"[i=4,k=2] (f32) o[] = sum[i,k] x0[i+k-1 reflect]", reads_all,
       "it reads at sums of labels only: no gathered index, boundary or divisor"}};
  for (const auto& [text, is_declared, reason] : cases) {
    const expr::TileProgram program = program_of(text);
    for (const Kernel& kernel : registry.all()) {
      if (!is_declared(kernel.takes)) {
        EXPECT_EQ(refusal(kernel, program, shape_of(program)), reason)
            << kernel.name << ": " << text;
      }
    }
    EXPECT_EQ(refusal(*registry.find("reference"), program, shape_of(program)), "") << text;
  }
}

}  // namespace
}  // namespace tessera::kernels::reference_indices_test
