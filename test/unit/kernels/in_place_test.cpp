#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "unit/kernels/kernel_runner.h"

namespace tessera::kernels::in_place_test {
namespace {

/// Maps that read x0 where they write; x1 has the second label, the first, or both turned.
constexpr const char* kMaps[] = {
    "(x0[a,b] + 1) * x0[a,b]",
    "x0[a,b]",
    "exp(x0[a,b]) + x0[a,b] * x0[a,b]",
    "where(x0[a,b] > x1[b], x0[a,b] * x1[b], x0[a,b] - x1[b])",
    "(x0[a,b] - x1[a]) / (x0[a,b] + 9)",
    "x1[b,a] - x0[a,b]",
    "maximum(x0[a,b], abs(x1[b,a])) + x0[a,b]",
};

constexpr int64_t kExtents[][2] = {{1, 1},   {1, 7},    {3, 33},  {5, 100},
                                   {64, 64}, {17, 129}, {9, 1500}};

/// The array that x1 is of a map.
Box second_input(const std::string& map, int64_t a, int64_t b) {
  if (map.find("x1[b,a]") != std::string::npos) {
    return whole({b, a});
  }
  return whole({map.find("x1[b]") != std::string::npos ? b : a});
}

/// kernel.h: an output may be the same memory as an input that a map reads where it writes.
TEST(InPlace, AMapOverItsOperandHasTheBitsOfOneBesideIt) {
  const Context context{known().functions, known().aggregates, generating_kernels(),
                        known().machine};
  std::mt19937_64 random(3);
  int num_runs = 0;
  for (const std::string map : kMaps) {
    const bool has_second = map.find("x1") != std::string::npos;
    for (const auto& [a, b] : kExtents) {
      for (const DType dtype : {DType::f32, DType::f64}) {
        const std::string type(name_of(dtype));
        const std::string types = has_second ? fmt::format("{0},{0}", type) : type;
        const expr::TileProgram program = expr::parse_program(
            {"map", fmt::format("[a={},b={}] ({}) o[a,b] = {}", a, b, types, map)}, {},
            {context.aggregates, {}}, context.functions);
        const CallShape shape{{{0, a}, {0, b}}};
        TestTile first(dtype, whole({a, b}));
        first.fill(random);
        TestTile second(dtype, second_input(map, a, b));
        second.fill(random);
        std::vector<TileView> inputs{first.view()};
        if (has_second) {
          inputs.push_back(second.view());
        }
        for (const Kernel& kernel : context.kernels.all()) {
          const OrRefusal<KernelPlan> plan = kernel.read(program, shape, context);
          if (!plan) {
            continue;
          }
          ++num_runs;
          const Outcome beside = run_kernel(kernel, program, shape, inputs, context);
          TestTile over(dtype, whole({a, b}));
          std::memcpy(over.view().data, first.view().data,
                      static_cast<size_t>(a * b * size_of(dtype)));
          inputs[0] = over.view();
          const std::vector<TileView> outputs{over.view()};
          const TestTile workspace(DType::u8, whole({plan->workspace_bytes + 64}));
          EXPECT_EQ(
              plan->prepare()->run({inputs, outputs, shape.ranges, false, workspace.view().data}),
              Status::ok);
          inputs[0] = first.view();
          EXPECT_TRUE(have_same_bits(over, beside.outputs[0]))
              << kernel.name << ": " << map << " of " << a << " x " << b;
        }
      }
    }
  }
  EXPECT_GT(num_runs, 200);
}

}  // namespace
}  // namespace tessera::kernels::in_place_test
