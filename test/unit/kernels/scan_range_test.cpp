#include <array>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/cpu/scan/range_loss.h"
#include "unit/kernels/kernel_runner.h"

/// Scans whose parts overflow or vanish by themselves, against `reference`, which walks every line.
namespace tessera::kernels::scan_range_test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

expr::Monoid product() {
  expr::Monoid monoid = known().aggregates.find("prod")->bind(DType::f64).monoid;
  monoid.name = "prod.ordered";
  monoid.is_commutative = false;
  return monoid;
}

/// (c * a, c * b + d) of (a, b) and (c, d).
expr::Monoid affine() {
  expr::Monoid monoid{"affine", {DType::f64, DType::f64}, {}, {1.0, 0.0}, false};
  for (const int32_t entry : {0, 1}) {
    expr::ScalarBuilder builder;
    const int32_t scaled = builder.call(
        "multiply", {builder.parameter(2, DType::f64), builder.parameter(entry, DType::f64)},
        DType::f64);
    monoid.combine.push_back(builder.finish(
        entry == 0 ? scaled
                   : builder.call("add", {scaled, builder.parameter(3, DType::f64)}, DType::f64)));
  }
  return monoid;
}

TEST(RangeLoss, IsWhereAPartByItselfLeavesTheRange) {
  struct Case {
    double before;
    double part;
    double merged;
    RangeLoss loss;
  };
  using enum RangeLoss;
  static constexpr Case kCases[] = {{2, 3, 6, none},
                                    {0, kInfinity, kNan, some},
                                    {1e-300, kInfinity, kInfinity, some},
                                    {kInfinity, 0, kNan, some},
                                    {-kInfinity, kNan, kNan, some},
                                    {1e300, 5e-324, 5e-24, some},
                                    {1e300, 0, 0, zero},
                                    {0, 0, 0, none},
                                    {2, 0, 2, none},
                                    {kNan, kInfinity, kNan, none},
                                    {kInfinity, 3, kInfinity, none}};
  for (Case each : kCases) {
    StateBuffers before{};
    StateBuffers part{};
    StateBuffers merged{};
    before[0] = reinterpret_cast<std::byte*>(&each.before);
    part[0] = reinterpret_cast<std::byte*>(&each.part);
    merged[0] = reinterpret_cast<std::byte*>(&each.merged);
    const MergedStates states{before, part, merged};
    EXPECT_EQ(range_loss(product(), states, 0), each.loss)
        << each.before << " before " << each.part;
    EXPECT_EQ(loses_range(product(), states, 1), each.loss != none);
  }
}

/// Powers of two whose product grows or vanishes along a line, or has a size of 1. The first one
/// may be one that keeps the product in the range for long.
TestTile drawn_factors(std::mt19937_64& random, int64_t length, int64_t lines, bool has_first) {
  TestTile tile(DType::f64, whole({length, lines}));
  auto* const factors = tile.view().as<double>();
  for (int64_t line = 0; line < lines; ++line) {
    const auto kind = random() % 5;
    const double factor = std::array{0x1p40, 0x1p40, 0x1p-40, 0x1p-40, -1.0}[kind];
    for (int64_t at = 0; at < length; ++at) {
      factors[at * lines + line] = factor;
    }
    if (has_first) {
      factors[line] = std::array{0.0, 0x1p-1000, 0x1p1000, kInfinity, 1.0}[kind];
    }
  }
  return tile;
}

/// Checks that both kernels run the program and give equal outputs.
void expect_walked(const std::string& text, const CallShape& shape,
                   const std::vector<TileView>& inputs) {
  const expr::TileProgram program = expr::parse_program(
      {"test", text}, {}, {known().aggregates, {product(), affine()}}, known().functions);
  const Registry& registry = all_kernels();
  const Outcome expected =
      run_kernel(*registry.find("reference"), program, shape, inputs, known().context);
  const Outcome seen = run_kernel(*registry.find("scan"), program, shape, inputs, known().context);
  ASSERT_EQ(expected.status, Status::ok);
  ASSERT_EQ(seen.status, Status::ok);
  for (size_t output = 0; output < expected.outputs.size(); ++output) {
    ASSERT_EQ(first_difference(seen.outputs[output], expected.outputs[output]), -1)
        << "output " << output << ": " << text;
  }
}

/// Only the lines that lose range are walked, but all have the states of a walk.
TEST(ScanRange, StatesBehindATileAreThoseOfAWalk) {
  std::mt19937_64 random(7);
  for (const int64_t lines : {1, 5, 300}) {
    for (const int64_t length : {1, 3, 40, 200}) {
      const TestTile factors = drawn_factors(random, length, lines, false);
      const TestTile before = drawn_factors(random, 1, lines, true);
      TestTile merged(DType::f64, whole({lines}));
      for (int64_t line = 0; line < lines; ++line) {
        double product = 1;
        for (int64_t at = 0; at < length; ++at) {
          product *= factors.view().as<double>()[at * lines + line];
        }
        merged.view().as<double>()[line] = product;
      }
      TileView states = before.view();
      states.shape = {lines};
      states.strides = {1};
      states.origin = {0};
      const CallShape shape{{{0, length}, {0, lines}}, false};
      expect_walked(fmt::format("[n={},l={}] (_,f64,f64) t0[l] = prod.ordered[n] x1[n,l]; "
                                "o[l] = x2[l] * t0[l]",
                                length, lines),
                    shape, {merged.view(), factors.view(), states});
    }
  }
}

TEST(ScanRange, PartsOfALineInPanelsAreWalkedWhereTheyLeaveTheRange) {
  std::mt19937_64 random(8);
  for (const int64_t lines : {1, 3, 20}) {
    for (const int64_t length : {130, 700, 3000}) {
      const TestTile factors = drawn_factors(random, length, lines, true);
      const CallShape shape{{{0, length}, {0, lines}}, false};
      for (const char* order : {"", "; backward", "; exclusive"}) {
        expect_walked(fmt::format("[n={},l={}] (f64) (o0,o1)[n,l] = scan affine[n{}] (x0[n,l], "
                                  "0.0:f64)",
                                  length, lines, order),
                      shape, {factors.view()});
      }
    }
  }
}

}  // namespace

}  // namespace tessera::kernels::scan_range_test
