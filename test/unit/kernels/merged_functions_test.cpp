#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/cpu/blocked/program.h"
#include "unit/kernels/program_draw.h"

/// Rows whose functions are merged in registers, beside the same functions stored first and merged
/// then, to the bit.
namespace tessera::kernels::merged_functions_test {
namespace {

struct Merge {
  std::string expression;  // of x0[i,j], and of x1[i,j] or x1[i]
  std::string aggregate;
  std::string function;  // that merges its first state

  bool reads(const std::string& access) const {
    return expression.find(access) != std::string::npos;
  }
  /// A statement that merges a value of every i and j.
  std::string merged(const std::string& value) const {
    return aggregate == "mean" ? "(o0,o1)[i] = mean[j] (" + value + ", 1:i64)"
                               : "o[i] = " + aggregate + "[j] " + value;
  }
  std::string types(const std::string& type) const {
    return reads("x1") ? "(" + type + "," + type + ") " : "(" + type + ") ";
  }
};

const std::vector<Merge>& merges() {
  static const std::vector<Merge> all = {{"x0[i,j]^2", "sum", "add"},
                                         {"x0[i,j]^2", "mean", "add"},
                                         {"abs(x0[i,j])", "sum", "add"},
                                         {"abs(x0[i,j])", "max", "maximum"},
                                         {"x0[i,j] * x1[i,j]", "sum", "add"},
                                         {"(x0[i,j] - x1[i,j])^2", "sum", "add"},
                                         {"abs(x0[i,j] - x1[i])^2", "mean", "add"},
                                         {"abs(x0[i,j] - x1[i,j])", "sum", "add"},
                                         {"abs(x0[i,j] - x1[i])", "sum", "add"},
                                         {"abs(x0[i,j] - x1[i,j])", "max", "maximum"}};
  return all;
}

std::vector<Isa> all_isas() {
  std::vector<Isa> isas = {Isa::scalar, Isa::avx2, Isa::avx512};
  std::erase_if(isas, [](Isa isa) { return isa > widest_isa(); });
  return isas;
}

expr::TileProgram program_of(const std::string& text) {
  return expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                             expr::all_functions());
}

/// Numbers whose sums round, and in long tiles -0, infinities and NaN far apart.
void draw_numbers(const TileView& tile, int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> draw(-3, 3);
  visit_storage_type(tile.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      std::generate_n(tile.as<T>(), count, [&] { return static_cast<T>(draw(random)); });
      if (count > 3000) {
        tile.as<T>()[5] = T(-0.0);
        tile.as<T>()[count / 2] = std::numeric_limits<T>::infinity();
        tile.as<T>()[count - 2] = std::numeric_limits<T>::quiet_NaN();
      }
    }
  });
}

void expect_merged_as_stored(const Merge& merge, const std::string& type, int64_t length,
                             const Context& context) {
  constexpr int64_t kRows = 3;
  const DType dtype = parse_dtype(type).value();
  const TestTile wide(dtype, whole({kRows, length + 3}));
  const TestTile second(dtype, merge.reads("x1[i,j]") ? whole({kRows, length}) : whole({kRows}));
  draw_numbers(wide.view(), wide.count(), 1);
  draw_numbers(second.view(), second.count(), 2);
  std::vector<TileView> inputs = {subview(wide.view(), whole({kRows, length}))};
  if (merge.reads("x1")) {
    inputs.push_back(second.view());
  }
  const CallShape shape{{{0, kRows}, {0, length}}};
  const auto run = [&](const std::string& statement, const std::vector<TileView>& operands) {
    return run_kernel(*all_kernels().find("blocked_evaluator"),
                      program_of("[i=3,j=" + std::to_string(length) + "] " + statement), shape,
                      operands, context);
  };
  const Outcome merged = run(merge.types(type) + merge.merged(merge.expression), inputs);
  const Outcome stored = run(merge.types(type) + "o[i,j] = " + merge.expression, inputs);
  const Outcome expected =
      run("(" + type + ") " + merge.merged("x0[i,j]"), {stored.outputs[0].view()});
  ASSERT_EQ(merged.outputs.size(), expected.outputs.size());
  for (size_t output = 0; output < expected.outputs.size(); ++output) {
    EXPECT_TRUE(have_same_bits(merged.outputs[output], expected.outputs[output]))
        << name_of(context.machine.isa) << " " << type << " " << length << ": " << merge.aggregate
        << " of " << merge.expression;
  }
}

}  // namespace

TEST(MergedFunctions, AreMergedInTheOrderOfFolds) {
  for (const Isa isa : all_isas()) {
    Machine machine = known().machine;
    machine.isa = isa;
    const Context context{known().functions, known().aggregates, all_kernels(), machine};
    for (const Merge& merge : merges()) {
      for (const int64_t length : {600, 1024, 1087, 2048, 34 * 1024 + 3}) {
        expect_merged_as_stored(merge, "f32", length, context);
        expect_merged_as_stored(merge, "f64", length, context);
      }
    }
  }
}

namespace {

/// The least and the largest number of a type, by turns and a few others between.
void draw_ends(const TileView& tile, int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  visit_storage_type(tile.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      for (int64_t e = 0; e < count; ++e) {
        const T between = static_cast<T>(random());
        tile.as<T>()[e] = random() % 4 == 0   ? between
                          : random() % 3 == 0 ? std::numeric_limits<T>::lowest()
                                              : std::numeric_limits<T>::max();
      }
    }
  });
}

/// Means of integers over the label `over` of x0[i,j], beside those of the same numbers as f64.
void expect_mean_as_of_floats(const std::string& type, const std::string& over, const Shape& shape,
                              const Context& context) {
  const TestTile wide(parse_dtype(type).value(), whole({shape[0], shape[1] + 3}));
  draw_ends(wide.view(), wide.count(), 1);
  const TileView integers = subview(wide.view(), whole({shape[0], shape[1]}));
  const CallShape call{{{0, shape[0]}, {0, shape[1]}}};
  const auto run = [&](const std::string& statement, const TileView& operand) {
    const std::string labels =
        "[i=" + std::to_string(shape[0]) + ",j=" + std::to_string(shape[1]) + "] ";
    return run_kernel(*all_kernels().find("blocked_evaluator"), program_of(labels + statement),
                      call, {operand}, context);
  };
  const std::string mean =
      std::string("(o0,o1)[") + (over == "i" ? "j" : "i") + "] = mean[" + over + "] ";
  const Outcome outcome = run("(" + type + ") " + mean + "(f64(x0[i,j]), 1:i64)", integers);
  const Outcome floats = run("(" + type + ") o[i,j] = f64(x0[i,j])", integers);
  const Outcome expected = run("(f64) " + mean + "(x0[i,j], 1:i64)", floats.outputs[0].view());
  for (size_t output = 0; output < 2; ++output) {
    EXPECT_TRUE(have_same_bits(outcome.outputs[output], expected.outputs[output]))
        << name_of(context.machine.isa) << " " << type << " over " << over << " of " << shape[0]
        << " x " << shape[1];
  }
}

}  // namespace

TEST(MergedFunctions, MeansOfIntegersAreThoseOfFloats) {
  for (const Isa isa : all_isas()) {
    Machine machine = known().machine;
    machine.isa = isa;
    const Context context{known().functions, known().aggregates, all_kernels(), machine};
    for (const char* const type : {"bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"}) {
      for (const int64_t length : {1, 600, 1024, 1087, 2048, 34 * 1024 + 3}) {
        expect_mean_as_of_floats(type, "j", {3, length}, context);
      }
      for (const int64_t length : {1, 15, 16, 17, 300}) {
        expect_mean_as_of_floats(type, "i", {length, 1024}, context);
        expect_mean_as_of_floats(type, "i", {length, 1387}, context);
      }
    }
  }
}

/// So that the first test compares what it says.
TEST(MergedFunctions, AreThoseOfTheTest) {
  for (const Isa isa : all_isas()) {
    for (const Merge& merge : merges()) {
      const expr::TileProgram program =
          program_of("[i=3,j=8] " + merge.types("f32") + merge.merged(merge.expression));
      const BlockProgram compiled = *BlockProgram::compile(program.statements[0].bodies, isa);
      const std::optional<BlockProgram> merging =
          compiled.merged_by(merge.function, {false, merge.reads("x1[i])")}, isa);
      ASSERT_TRUE(merging) << merge.expression;
      EXPECT_TRUE(merging->merges());
      EXPECT_EQ(merging->results().size(), 1U);
    }
  }
}

}  // namespace tessera::kernels::merged_functions_test
