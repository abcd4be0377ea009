#include "kernels/cpu/blocked/composing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "expr/text/text.h"
#include "kernels/cpu/blocked/machine.h"
#include "unit/expr/registries.h"

/// Composed functions beside the same functions one after the other, to the bit.
namespace tessera::kernels::composing_test {
namespace {

std::vector<Isa> all_isas() {
  std::vector<Isa> isas = {Isa::scalar, Isa::avx2, Isa::avx512};
  std::erase_if(isas, [](Isa isa) { return isa > widest_isa(); });
  return isas;
}

/// The expression of a statement o[i] = ... over x0, x1 and x2.
template <class T>
expr::Scalar expression_of(const std::string& body) {
  const std::string type = sizeof(T) == 4 ? "f32" : "f64";
  std::string types = type;
  for (const std::string name : {"x1", "x2"}) {
    types += body.find(name) != std::string::npos ? "," + type : "";
  }
  const std::string text = "[i=8] (" + types + ") o[i] = " + body;
  const expr::TileProgram program =
      expr::parse_program({"test", text}, {}, {expr::all_aggregates(), {}}, expr::all_functions());
  return program.statements[0].bodies[0];
}

template <class T>
using Block = std::array<T, kBlock>;

template <class T>
Block<T> drawn_block(uint32_t seed) {
  using Limits = std::numeric_limits<T>;
  const std::array<T, 9> ends = {
      T(0),   -T(0),   Limits::infinity(),   -Limits::infinity(), Limits::quiet_NaN(),
      T(100), -T(100), Limits::denorm_min(), Limits::max()};
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> draw(-3, 3);
  Block<T> block;
  for (T& value : block) {
    value = random() % 8 == 0 ? ends[random() % ends.size()] : draw(random);
  }
  return block;
}

/// Every function of the expression over a block of its own.
template <class T>
Block<T> one_by_one(const expr::Scalar& scalar, const std::array<Block<T>, 3>& inputs, Isa isa) {
  std::vector<Block<T>> values;
  for (const expr::Node& node : scalar.nodes) {
    Block<T> result;
    if (const auto* access = std::get_if<expr::Access>(&node.op)) {
      result = inputs[static_cast<size_t>(access->operand)];
    } else if (const auto* call = std::get_if<expr::Call>(&node.op)) {
      const std::vector<DType> types(call->arguments.size(), node.dtype);
      std::vector<const void*> arguments;
      for (const int32_t argument : call->arguments) {
        arguments.push_back(values[static_cast<size_t>(argument)].data());
      }
      const BlockFunction function = find_block_function(call->function, {types, node.dtype}, isa);
      EXPECT_EQ(function(arguments.data(), result.data(), kBlock), Status::ok);
    }
    values.push_back(result);
  }
  return values.back();
}

template <class T>
Block<T> by_program(const BlockProgram& program, const std::array<Block<T>, 3>& inputs) {
  std::array<Stream, 3> streams;
  std::array<BlockView, 3> views;
  BlockShape shape;
  shape.num_dims = 1;
  shape.label[0] = 0;
  shape.extent[0] = kBlock;
  const std::array<bool, 3> uniform = {};
  for (size_t number = 0; number < program.streams().size(); ++number) {
    const auto& access = std::get<expr::Access>(program.streams()[number]);
    streams[number].dtype = sizeof(T) == 4 ? DType::f32 : DType::f64;
    streams[number].step[0] = sizeof(T);
    views[number] = {&streams[number],
                     &shape,
                     1,
                     std::bit_cast<int64_t>(inputs[static_cast<size_t>(access.operand)].data()),
                     kBlock,
                     0};
  }
  std::vector<std::byte> memory(static_cast<size_t>(program.buffer_bytes()) + 64);
  BlockMachine machine;
  const auto address = std::bit_cast<uintptr_t>(memory.data());
  machine.bind(program, uniform.data(), memory.data() + (64 - address % 64) % 64);
  EXPECT_EQ(machine.run(views.data(), kBlock, nullptr, nullptr), Status::ok);
  Block<T> result;
  std::copy_n(static_cast<const T*>(machine.result(0)), kBlock, result.begin());
  return result;
}

int num_functions(const BlockProgram& program) {
  return static_cast<int>(
      std::ranges::count_if(program.values(), [](const BlockProgram::Value& value) {
        return std::holds_alternative<BlockProgram::FromFunction>(value.from);
      }));
}

struct Composable {
  const char* body;
  int num_functions;  // that are left
};

const std::vector<Composable>& composables() {
  static const std::vector<Composable> all = {
      {"exp(x0[i] - x1[i])", 1},
      {"exp(x0[i] - x1[i]) / x2[i]", 1},
      {"(x0[i] - x1[i]) / x2[i]", 1},
      {"abs(x0[i] - x1[i])", 1},
      {"square(x0[i] - x1[i])", 1},
      {"square(abs(x0[i]))", 1},
      {"square(abs(x0[i] - x1[i]))", 1},
      {"(x0[i] - x1[i]) * x2[i]", 1},
      {"x0[i] * (x1[i] - x2[i])", 1},
      {"x0[i] * x1[i] * x2[i]", 1},
      {"x0[i] * (x1[i] * x2[i])", 1},
      {"x0[i] * x1[i] + x2[i]", 1},
      {"x0[i] + x1[i] * x2[i]", 1},
      {"x0[i] + x1[i] + x2[i]", 1},
      {"x0[i] + (x1[i] + x2[i])", 1},
      {"x0[i] * x1[i] - x2[i]", 1},
      {"x0[i] - x1[i] * x2[i]", 1},
      {"x0[i] - x1[i] * x2[i] + x1[i]", 1},
      {"x0[i] + x1[i] - x2[i]", 1},
      {"x0[i] + x1[i] + x2[i] + x0[i] - x1[i] * x2[i]", 1},
      {"x0[i] + x1[i] + x2[i] + x0[i] + x1[i] + x2[i] - x1[i] * x2[i]", 1},
      {"x0[i] + x1[i] + x2[i] + x0[i] + x1[i] + x2[i] + x1[i] * x2[i]", 1},
      {"x0[i] * (x0[i] + x1[i] + x2[i] + x0[i] + x1[i] + x2[i])", 1},
      {"(x0[i] + x1[i] + x2[i]) * x1[i]", 1},
      {"x0[i] * x1[i] + x2[i] + x1[i] + x0[i] + x2[i] + x1[i]", 1},
      {"x0[i] * x1[i] + x1[i] * x2[i] + x2[i] * x0[i] + x1[i] * x0[i]", 1},
      {"x0[i] * x1[i] + x1[i] * x2[i] + x2[i]", 1},
      {"exp(x0[i] - x1[i]) * x1[i] + x2[i]", 2},
      {"(x0[i] - x1[i]) * (x0[i] - x1[i])", 2},  // one difference, which is read twice
      {"sin(x0[i] - x1[i])", 2},
  };
  return all;
}

template <class T>
void expect_equal_bits(const Block<T>& got, const Block<T>& wanted, const char* body) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  for (size_t e = 0; e < got.size(); ++e) {
    const bool are_nan = std::isnan(got[e]) && std::isnan(wanted[e]);
    EXPECT_TRUE(are_nan || std::bit_cast<Bits>(got[e]) == std::bit_cast<Bits>(wanted[e]))
        << body << " at " << e << ": " << got[e] << ", not " << wanted[e];
  }
}

template <class T>
void expect_composed() {
  const std::array<Block<T>, 3> inputs = {drawn_block<T>(1), drawn_block<T>(2), drawn_block<T>(3)};
  for (const Isa isa : all_isas()) {
    for (const Composable& composable : composables()) {
      const expr::Scalar scalar = expression_of<T>(composable.body);
      const OrRefusal<BlockProgram> program = BlockProgram::compile({scalar}, isa);
      ASSERT_EQ(program.reason(), "");
      EXPECT_EQ(num_functions(*program), composable.num_functions) << composable.body;
      expect_equal_bits<T>(by_program<T>(*program, inputs), one_by_one<T>(scalar, inputs, isa),
                           composable.body);
    }
  }
}

TEST(Composing, GivesTheBitsOfItsFunctionsOnFloats) {
  expect_composed<float>();
}
TEST(Composing, GivesTheBitsOfItsFunctionsOnDoubles) {
  expect_composed<double>();
}

TEST(Composing, KeepsWhatIsAResultToo) {
  const expr::Scalar difference = expression_of<float>("x0[i] - x1[i]");
  const expr::Scalar exponential = expression_of<float>("exp(x0[i] - x1[i])");
  const OrRefusal<BlockProgram> program =
      BlockProgram::compile({difference, exponential}, widest_isa());
  ASSERT_EQ(program.reason(), "");
  EXPECT_EQ(num_functions(*program), 2);
}

}  // namespace
}  // namespace tessera::kernels::composing_test
