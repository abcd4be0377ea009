#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/cpu/blocked/machine.h"
#include "kernels/cpu/blocked/program.h"

namespace tessera::kernels::block_program_test {

namespace {

BlockFunction function_of_power(Literal exponent, DType dtype) {
  expr::ScalarBuilder builder;
  const int32_t x = builder.access({0, {expr::plain(0)}}, dtype);
  const int32_t y = builder.constant(exponent, dtype);
  const OrRefusal<BlockProgram> program =
      BlockProgram::compile({builder.finish(builder.call("power", {x, y}, dtype))}, widest_isa());
  EXPECT_EQ(program.reason(), "");
  return std::get<BlockProgram::FromFunction>(program->values().back().from).function;
}

TEST(BlockProgram, MultipliesWhereAnExponentIsTwoOrThree) {
  for (const DType dtype : {DType::i8, DType::u64, DType::f32, DType::f64, DType::c64}) {
    const BlockFunction square = find_block_function("square", {{dtype}, dtype}, widest_isa());
    const BlockFunction product =
        find_block_function("multiply", {{dtype, dtype}, dtype}, widest_isa());
    EXPECT_EQ(function_of_power(int64_t{2}, dtype), square) << name_of(dtype);
    EXPECT_EQ(function_of_power(2.0, dtype), square) << name_of(dtype);
    EXPECT_EQ(function_of_power(int64_t{3}, dtype), product) << name_of(dtype);
  }
}

TEST(BlockProgram, TakesAFunctionForPowersByHalves) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const BlockFunction power = find_block_function("power", {{dtype, dtype}, dtype}, widest_isa());
    const BlockFunction halves = find_half_power(dtype, 2.5, widest_isa());
    EXPECT_EQ(function_of_power(2.5, dtype), halves == nullptr ? power : halves);
    EXPECT_EQ(function_of_power(2.25, dtype), power);
  }
}

TEST(BlockProgram, KeepsALiteralNotABlockOfIt) {
  expr::ScalarBuilder builder;
  const int32_t x = builder.access({0, {expr::plain(0)}}, DType::f32);
  const int32_t seven = builder.constant(int64_t{7}, DType::f32);
  const OrRefusal<BlockProgram> program = BlockProgram::compile(
      {builder.finish(builder.call("add", {x, seven}, DType::f32))}, widest_isa());
  ASSERT_EQ(program.reason(), "");
  const auto& from = std::get<BlockProgram::FromConstant>(program->values()[1].from);
  EXPECT_EQ(from.value, Literal(int64_t{7}));

  BlockMachine machine;
  alignas(64) std::array<std::byte, 3 * kBlock * sizeof(float)> memory;
  ASSERT_LE(program->buffer_bytes(), static_cast<int64_t>(memory.size()));
  const bool is_uniform = false;
  machine.bind(*program, &is_uniform, memory.data());
  const auto* block = static_cast<const float*>(machine.constant(1));
  EXPECT_EQ(std::count(block, block + kBlock, 7.0F), kBlock);
}

TEST(BlockProgram, ASquareHasTheBitsOfAPower) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  alignas(64) float x[kBlock] = {0.0F, -0.0F, 1e-30F, -1e-20F, 1e20F, kInfinity, -kInfinity, 0.1F};
  alignas(64) float two[kBlock];
  std::fill_n(two, kBlock, 2.0F);
  alignas(64) float square[kBlock];
  alignas(64) float power[kBlock];
  const void* const arguments[] = {x, two};
  function_of_power(2.0, DType::f32)(arguments, square, 8);
  find_block_function("power", {{DType::f32, DType::f32}, DType::f32}, widest_isa())(arguments,
                                                                                     power, 8);
  for (int e = 0; e < 8; ++e) {
    EXPECT_EQ(std::bit_cast<uint32_t>(square[e]), std::bit_cast<uint32_t>(power[e])) << x[e];
  }
}

}  // namespace

}  // namespace tessera::kernels::block_program_test
