#include <algorithm>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/choice.h"
#include "kernels/cpu/blocked/evaluator.h"
#include "kernels/cpu/blocked/program.h"
#include "unit/drawn.h"
#include "unit/io/scratch_directory.h"
#include "unit/kernels/program_draw.h"

/// The kernel `generated` beside `blocked_evaluator`, which runs the same functions one by one.
namespace tessera::kernels::generated_kernel_test {

namespace {

/// Long expressions of numbers that round, over operands that have all labels or some.
class LongExpression : public ProgramDraw {
 public:
  explicit LongExpression(uint64_t seed) : ProgramDraw(seed) {
    static constexpr DType kTypes[] = {DType::f32, DType::f64, DType::i32,
                                       DType::i64, DType::u8,  DType::f16};
    dtype_ = kTypes[number(0, std::size(kTypes) - 1)];
    add_label("i", number(1, 70));
    add_label("j", number(1, 1200));
    expr::ScalarBuilder builder;
    std::vector<int32_t> values = {access(builder, {0, 1}), access(builder, {1}),
                                   access(builder, {0})};
    for (int64_t step = number(2, 20); step > 0; --step) {
      values.push_back(next(builder, values));
    }
    expr::TileStatement statement;
    statement.out = {0, 1};
    if (chance(50)) {
      statement.out = {chance(50) ? 0 : 1};
      static constexpr const char* kAggregates[] = {"sum", "max", "mean"};
      reduce(statement, {1 - statement.out[0]}, builder, kAggregates[number(0, 2)], values.back(),
             values.back());
      shape.accumulate = chance(30);
    } else {
      statement.bodies.push_back(builder.finish(builder.cast(values.back(), dtype_)));
    }
    program.statements.push_back(std::move(statement));
  }

 private:
  void add_label(const std::string& name, int64_t length) {
    program.labels.push_back({name, length});
    shape.ranges.push_back({0, length});
  }

  int32_t access(expr::ScalarBuilder& builder, const std::vector<expr::LabelNumber>& labels) {
    expr::Access access{program.num_inputs++, {}};
    Box box;
    for (const expr::LabelNumber label : labels) {
      access.index.push_back(expr::plain(label));
      box.origin.push_back(0);
      box.extent.push_back(shape.ranges[static_cast<size_t>(label)].length);
    }
    tiles_.emplace_back(dtype_, box);
    tiles_.back().fill(random_, 0, 1000);
    divide_floats(tiles_.back().view(), tiles_.back().count());
    inputs.push_back(tiles_.back().view());
    return builder.access(std::move(access), dtype_);
  }

  /// So that sums and products round.
  static void divide_floats(const TileView& tile, int64_t count) {
    visit_storage_type(tile.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>) {
        for (int64_t e = 0; e < count; ++e) {
          tile.as<T>()[e] = (tile.as<T>()[e] - T(400)) / T(7);
        }
      }
    });
  }

  int32_t next(expr::ScalarBuilder& builder, const std::vector<int32_t>& values) {
    static constexpr const char* kTwo[] = {"add", "subtract", "multiply", "maximum", "minimum"};
    const auto any = [&] {
      return values[static_cast<size_t>(number(0, static_cast<int64_t>(values.size()) - 1))];
    };
    const int32_t last = values.back();
    const int64_t kind = number(0, 9);
    if (kind == 0) {
      return call(builder, "where", {call(builder, "less", {any(), last}), any(), last});
    }
    if (kind == 1) {
      return call(builder, chance(50) ? "square" : "abs", {last});
    }
    if (kind == 2 && is_float(dtype_)) {
      return call(builder, chance(50) ? "exp" : "sqrt", {call(builder, "negative", {last})});
    }
    const int32_t other =
        chance(30) ? builder.cast(builder.constant(number(1, 3), DType::i8), dtype_) : any();
    return call(builder, kTwo[number(0, std::size(kTwo) - 1)], {last, other});
  }

  DType dtype_ = DType::f32;
};

expr::TileProgram program_of(const std::string& text) {
  return expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}},
                             expr::all_functions());
}

constexpr const char* kChain = "((x0[i] * 0.5 + x0[i]) * x0[i] - 2) * x0[i] + 0.25";

/// What is chosen for the chain over so many elements, of which a call has a thousandth.
std::string chosen(int64_t extent, const Registry& kernels) {
  const Context context{known().functions, known().aggregates, kernels, known().machine};
  const expr::TileProgram program =
      program_of("[i=" + std::to_string(extent) + "] (f32) o[i] = " + kChain);
  return choose(program, {{{0, extent / 1000}}}, context).kernel->name;
}

bool is_made_here() {
  return widest_isa() != Isa::scalar && generated::Plugin().is_there();
}

/// The formulas of a statement's expression, by their numbers of operations.
std::vector<int32_t> sizes_of_parts(const std::string& text, std::vector<bool> uniform_streams) {
  std::vector<int32_t> sizes;
  const BlockProgram::CodeOf code_of = [&](const generated::Formula& formula) {
    sizes.push_back(formula.num_operations());
    return nullptr;
  };
  const BlockProgram::Generation generation{code_of, std::move(uniform_streams)};
  const expr::TileProgram program = program_of(text);
  EXPECT_TRUE(BlockProgram::compile(program.statements[0].bodies, Isa::avx2, &generation));
  return sizes;
}

}  // namespace

TEST(GeneratedKernel, IsOfRunsOfFunctions) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  const std::string one = "[i=8] (f32) o[i] = ";
  EXPECT_THAT(sizes_of_parts(one + "x0[i] * 2", {false}), IsEmpty());
  EXPECT_THAT(sizes_of_parts(one + "x0[i] * 2 + 1", {false}), ElementsAre(2));
  EXPECT_THAT(sizes_of_parts(one + kChain, {false}), ElementsAre(6));
  EXPECT_THAT(sizes_of_parts(one + "exp(x0[i] * 2 + 1) * 3 - x0[i]", {false}), ElementsAre(2, 2));
}

TEST(GeneratedKernel, LeavesWhatIsTheSameInABlockToBeComputedOnce) {
  const std::string two = "[i=8,j=8] (f32,f32) o[i,j] = (x0[i] * 2 + 1) * x1[j] + x1[j]";
  EXPECT_THAT(sizes_of_parts(two, {true, false}), testing::ElementsAre(2, 2));
  EXPECT_THAT(sizes_of_parts(two, {false, false}), testing::ElementsAre(4));
}

TEST(GeneratedKernel, IsChosenWhereCodeSavesMoreThanItTakes) {
  constexpr int64_t kSmall = 1'000'000;
  constexpr int64_t kLarge = int64_t{1} << 40;
  const generated::Generator automatic({});
  const Registry where_quicker = with_generator(all_kernels(), automatic);
  const generated::Generator off({generated::Generating::off});
  EXPECT_EQ(chosen(kSmall, where_quicker), "blocked_evaluator");
  EXPECT_EQ(chosen(kLarge, all_kernels()), "blocked_evaluator");
  EXPECT_EQ(chosen(kLarge, with_generator(all_kernels(), off)), "blocked_evaluator");
  if (is_made_here()) {
    EXPECT_EQ(chosen(kLarge, where_quicker), "generated");
    EXPECT_EQ(chosen(kSmall, generating_kernels()), "generated");
  }
}

namespace {

/// The code that a run gets for the chain, whose plan interprets it and which would save so much.
std::shared_ptr<const generated::Code> code_after_losses(const generated::Generator& generator,
                                                         double worth) {
  std::shared_ptr<const generated::Code> code;
  const BlockProgram::CodeOf code_of = [&](const generated::Formula& formula) {
    code = generator.code_after_losses(formula, widest_isa(), worth);
    return code;
  };
  const BlockProgram::Generation generation{code_of, {false}};
  const expr::TileProgram program = program_of("[i=1000] (f32) o[i] = " + std::string(kChain));
  EXPECT_TRUE(BlockProgram::compile(program.statements[0].bodies, widest_isa(), &generation));
  return code;
}

constexpr double kWorth = 2e-3;  // less than making it takes

}  // namespace

TEST(GeneratedKernel, RunsHaveCodeOnceTheyHaveLostWhatMakingTakes) {
  if (!is_made_here()) {
    GTEST_SKIP() << "built without LLVM";
  }
  const io::ScratchDirectory scratch;
  const std::string directory = scratch.path("kernels");
  const generated::Generator one({generated::Generating::automatic, directory});
  EXPECT_EQ(code_after_losses(one, kWorth), nullptr);
  one.has_run(1);
  EXPECT_EQ(code_after_losses(one, kWorth), nullptr);
  one.has_run(100);
  EXPECT_NE(code_after_losses(one, kWorth), nullptr);
  const generated::Generator other({generated::Generating::automatic, directory});
  EXPECT_NE(code_after_losses(other, kWorth / 1000), nullptr) << "it is kept";
  const generated::Generator without({generated::Generating::automatic});
  EXPECT_EQ(code_after_losses(without, kWorth), nullptr);
  const generated::Generator off({generated::Generating::off, directory});
  EXPECT_EQ(code_after_losses(off, kWorth), nullptr);
}

TEST(GeneratedKernel, IsChosenTheSameBeforeAndAfterRuns) {
  const io::ScratchDirectory scratch;
  const std::string directory = scratch.path("kernels");
  constexpr int64_t kExtent = 3'000'000;  // which code of its own is not worth
  const generated::Generator generator({generated::Generating::automatic, directory});
  const Registry registry = with_generator(all_kernels(), generator);
  EXPECT_EQ(chosen(kExtent, registry), "blocked_evaluator");
  code_after_losses(generator, kWorth);
  generator.has_run(1000);
  code_after_losses(generator, kWorth);  // it is made
  EXPECT_EQ(chosen(kExtent, registry), "blocked_evaluator");
  const generated::Generator alike({generated::Generating::automatic, directory, true});
  EXPECT_EQ(chosen(kExtent, with_generator(all_kernels(), alike)), "blocked_evaluator");
}

/// A plan says one workspace, whether its kernels find code or not.
TEST(GeneratedKernel, TakesTheWorkspaceOfTheEvaluator) {
  const Kernel& generated = *generating_kernels().find("generated");
  const Kernel& evaluator = *all_kernels().find("blocked_evaluator");
  for (uint64_t seed = 0; seed < 30 / kOneOfDrawn; ++seed) {
    const LongExpression draw(seed);
    const auto with_code = generated.read(draw.program, draw.shape, known().context);
    if (with_code) {
      const auto interpreted = evaluator.read(draw.program, draw.shape, known().context);
      EXPECT_EQ(with_code->workspace_bytes, interpreted->workspace_bytes) << to_text(draw.program);
      const auto ready = std::dynamic_pointer_cast<const BlockedEvaluator>(with_code->prepare());
      ASSERT_NE(ready, nullptr);
      EXPECT_LE(ready->workspace_bytes(), with_code->workspace_bytes) << to_text(draw.program);
    }
  }
}

TEST(GeneratedKernel, LeavesWhatOthersReadOfWhatItReplaces) {
  const expr::TileProgram program = program_of(
      "[i=8] (f32,f32) o[i] = exp(x0[i] - x1[i]) + (x0[i] - x1[i]) * (x1[i] + 2) * x0[i] + "
      "sqrt((x0[i] - x1[i]) * (x1[i] - 1)) * ((x0[i] - x1[i]) * x1[i] - 0.5)");
  const BlockProgram::CodeOf of_large = [&](const generated::Formula& formula) {
    static const generated::Generator generator({generated::Generating::always});
    return formula.num_operations() > 2 ? generator.code(formula, widest_isa()) : nullptr;
  };
  const BlockProgram::Generation generation{of_large, {false, false}};
  const auto compiled =
      BlockProgram::compile(program.statements[0].bodies, widest_isa(), &generation);
  for (int32_t value = 0; value < compiled->num_values(); ++value) {
    const auto* from = std::get_if<BlockProgram::FromFunction>(
        &compiled->values()[static_cast<size_t>(value)].from);
    for (int32_t argument = 0; from != nullptr && argument < from->num_arguments; ++argument) {
      EXPECT_GE(from->arguments[static_cast<size_t>(argument)], 0);
      EXPECT_LT(from->arguments[static_cast<size_t>(argument)], value);
    }
  }
}

TEST(GeneratedKernel, MakesTheBitsOfTheEvaluator) {
  const Kernel& generated = *generating_kernels().find("generated");
  const Kernel& evaluator = *all_kernels().find("blocked_evaluator");
  int num_compared = 0;
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa > widest_isa()) {
      continue;
    }
    Machine machine = known().machine;
    machine.isa = isa;
    const Context context{known().functions, known().aggregates, all_kernels(), machine};
    for (uint64_t seed = 0; seed < 250 / kOneOfDrawn; ++seed) {
      const LongExpression draw(seed);
      if (!generated.read(draw.program, draw.shape, context)) {
        continue;
      }
      ++num_compared;
      const Outcome expected =
          run_kernel(evaluator, draw.program, draw.shape, draw.inputs, context);
      const Outcome outcome = run_kernel(generated, draw.program, draw.shape, draw.inputs, context);
      ASSERT_EQ(outcome.status, expected.status);
      for (size_t output = 0; output < expected.outputs.size(); ++output) {
        ASSERT_TRUE(have_same_bits(outcome.outputs[output], expected.outputs[output]))
            << name_of(isa) << ", seed " << seed << ": " << to_text(draw.program);
      }
    }
  }
  EXPECT_GE(num_compared, widest_isa() == Isa::scalar ? 0 : 150 / kOneOfDrawn);
}

namespace {

/// Divides floats, so that sums of them round, and has -0, infinities and NaN far apart among many.
void round_floats(const TileView& tile, int64_t count) {
  visit_storage_type(tile.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      for (int64_t e = 0; e < count; ++e) {
        tile.as<T>()[e] /= e % 5 == 0 ? T(-7) : T(7);
      }
      for (int64_t e = count / 2; e < count && count > 1200; e += count / 2 - 1) {
        tile.as<T>()[e] = e > count / 2 ? std::numeric_limits<T>::infinity()
                                        : std::numeric_limits<T>::quiet_NaN();
      }
    }
  });
}

/// Rows of a program of x0[i,j], x1[j] and x2[i] by code and interpreted.
void expect_merged_as_evaluated(const std::string& type, const std::string& aggregate,
                                int64_t length, const Context& context) {
  const std::string text = "[i=4,j=" + std::to_string(length) + "] (" + type + "," + type + "," +
                           type + ") o[i] = " + aggregate +
                           "[j] ((x0[i,j] - x2[i]) * x1[j] * x2[i] + (x2[i] * 3 - x0[i,j]) * 2)";
  const expr::TileProgram program = program_of(text);
  const CallShape shape{{{0, 4}, {0, length}}};
  std::mt19937_64 random(static_cast<uint64_t>(length));
  const DType dtype = parse_dtype(type).value();
  TestTile x0(dtype, whole({4, length + 5}));
  TestTile x1(dtype, whole({length}));
  TestTile x2(dtype, whole({4}));
  for (TestTile* const tile : {&x0, &x1, &x2}) {
    tile->fill(random, -3, 3);
    round_floats(tile->view(), tile->count());
  }
  const std::vector<TileView> inputs = {subview(x0.view(), whole({4, length})), x1.view(),
                                        x2.view()};
  const Kernel& generated = *generating_kernels().find("generated");
  ASSERT_EQ(generated.read(program, shape, context).reason(), "");
  const Outcome expected =
      run_kernel(*all_kernels().find("blocked_evaluator"), program, shape, inputs, context);
  const Outcome outcome = run_kernel(generated, program, shape, inputs, context);
  EXPECT_TRUE(have_same_bits(outcome.outputs[0], expected.outputs[0]))
      << name_of(context.machine.isa) << ": " << text;
}

}  // namespace

TEST(GeneratedKernel, MergesRowsInTheOrderOfTheEvaluator) {
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa > widest_isa()) {
      continue;
    }
    Machine machine = known().machine;
    machine.isa = isa;
    const Context context{known().functions, known().aggregates, all_kernels(), machine};
    for (const char* const type : {"f32", "f64", "i32", "u8", "f16"}) {
      for (const char* const aggregate : {"sum", "max", "min", "prod"}) {
        for (const int64_t length : {600, 1024, 1087, 2048, 34 * 1024 + 3}) {
          expect_merged_as_evaluated(type, aggregate, length, context);
        }
      }
    }
  }
}

/// The states of a row that is in several places are merged in their order.
TEST(GeneratedKernel, MergesRowsOfSeveralLabels) {
  const expr::TileProgram program = program_of(
      "[i=3,j=5,k=1100] (f32,f32,f32) o[i] = sum[j,k] ((x0[i,j,k] - x2[j]) * x1[k] + x2[j])");
  const CallShape shape{{{0, 3}, {0, 5}, {0, 1100}}, true};
  std::mt19937_64 random(3);
  TestTile x0(DType::f32, whole({3, 5, 1100}));
  TestTile x1(DType::f32, whole({1100}));
  TestTile x2(DType::f32, whole({5}));
  for (TestTile* const tile : {&x0, &x1, &x2}) {
    tile->fill(random, -1000, 1000);
    std::for_each(tile->view().as<float>(), tile->view().as<float>() + tile->count(),
                  [](float& number) { number /= 7; });
  }
  const std::vector<TileView> inputs = {x0.view(), x1.view(), x2.view()};
  const Outcome expected =
      run_kernel(*all_kernels().find("blocked_evaluator"), program, shape, inputs);
  const Outcome outcome =
      run_kernel(*generating_kernels().find("generated"), program, shape, inputs);
  EXPECT_TRUE(have_same_bits(outcome.outputs[0], expected.outputs[0]));
}

}  // namespace tessera::kernels::generated_kernel_test
