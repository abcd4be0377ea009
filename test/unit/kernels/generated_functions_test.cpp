#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>

#include <gtest/gtest.h>

#include "kernels/block_function.h"
#include "kernels/generated/code.h"
#include "kernels/generated/formula.h"
#include "kernels/generated/plugin.h"
#include "types/native.h"
#include "unit/expr/registries.h"

/// Generated code beside the block functions, to the bit.
namespace tessera::kernels::generated::generated_functions_test {

namespace {

constexpr int64_t kCount = 900;  // no multiple of a vector

Plugin& plugin() {
  static Plugin only;
  return only;
}

std::vector<Isa> vector_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa <= widest_isa()) {
      isas.push_back(isa);
    }
  }
  return isas;
}

std::shared_ptr<const Code> code_of(const Formula& formula, Isa isa) {
  const std::optional<Image> image = plugin().generate(formula, isa);
  return image ? Code::load(image->bytes, image->entry) : nullptr;
}

/// Elements of a block.
struct Block {
  alignas(64) std::array<std::byte, kBlock * 8> bytes{};
};

/// Numbers that are near each other, equal, extreme, and none.
template <class T>
T hostile(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    const T special[] = {T(0),
                         -T(0),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN(),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::min(),
                         Limits::denorm_min(),
                         T(0.5),
                         T(-2.5),
                         T(1.5)};
    const uint64_t drawn = random();
    return drawn % 3 == 0 ? special[drawn / 3 % std::size(special)]
                          : static_cast<T>(static_cast<double>(static_cast<int64_t>(random())) *
                                           std::exp2(static_cast<double>(drawn % 100) - 110));
  } else {
    const uint64_t drawn = random();
    using Limits = std::numeric_limits<T>;
    return drawn % 5 == 0   ? Limits::min()
           : drawn % 5 == 1 ? Limits::max()
           : drawn % 5 == 2 ? static_cast<T>(random() % 5)
                            : static_cast<T>(random());
  }
}

Block drawn_block(DType type, std::mt19937_64& random) {
  Block block;
  visit_compute_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_arithmetic_v<T>) {
      for (int64_t e = 0; e < kBlock; ++e) {
        reinterpret_cast<T*>(block.bytes.data())[e] = hostile<T>(random);
      }
    }
  });
  return block;
}

/// The first element whose bits differ, where not both are NaN; -1 if there is none.
int64_t first_difference(const Block& a, const Block& b, DType type) {
  return visit_compute_type(type, [&](auto tag) -> int64_t {
    using T = typename decltype(tag)::type;
    for (int64_t e = 0; e < kCount && sizeof(T) <= 8; ++e) {
      const T x = reinterpret_cast<const T*>(a.bytes.data())[e];
      const T y = reinterpret_cast<const T*>(b.bytes.data())[e];
      const auto bytes = std::as_bytes(std::span(&x, 1));
      const bool has_same_bits =
          std::equal(bytes.begin(), bytes.end(), std::as_bytes(std::span(&y, 1)).begin());
      if (!has_same_bits && (x == x || y == y)) {
        return e;
      }
    }
    return -1;
  });
}

/// A function of arguments of some types, as a formula; none where it is not generated.
std::optional<Formula> formula_of(const std::string& function, const expr::FunctionTypes& types) {
  Formula formula;
  std::vector<int32_t> arguments;
  for (const DType type : types.arguments) {
    if (!is_generated(type)) {
      return std::nullopt;
    }
    arguments.push_back(
        formula.argument(static_cast<int32_t>(arguments.size()), compute_type(type)));
  }
  if (!add_function(formula, function, arguments, compute_type(types.result))) {
    return std::nullopt;
  }
  return formula;
}

/// Compares a function with its block function; whether it is generated.
bool compare(const std::string& function, const expr::FunctionTypes& types, Isa isa) {
  const BlockFunction expected_function = find_block_function(function, types, isa);
  const std::optional<Formula> formula =
      expected_function == nullptr ? std::nullopt : formula_of(function, types);
  if (!formula || formula->num_operations() == 0) {
    return false;
  }
  const std::shared_ptr<const Code> code = code_of(*formula, isa);
  EXPECT_NE(code, nullptr) << function << " of " << name_of(types.arguments.back());
  if (code == nullptr) {
    return false;
  }
  std::mt19937_64 random(7);
  std::vector<Block> blocks;
  for (const DType type : types.arguments) {
    blocks.push_back(drawn_block(type, random));
  }
  std::vector<const void*> arguments;
  for (const Block& block : blocks) {
    arguments.push_back(block.bytes.data());
  }
  Block expected;
  Block result;
  EXPECT_EQ(expected_function(arguments.data(), expected.bytes.data(), kCount), Status::ok);
  EXPECT_EQ(code->function()(arguments.data(), result.bytes.data(), kCount), Status::ok);
  EXPECT_EQ(first_difference(result, expected, types.result), -1)
      << function << " of " << name_of(types.arguments.back()) << " by " << name_of(isa);
  return true;
}

/// The types that a function may be computed in: of arguments of one type, or a condition first.
std::vector<expr::FunctionTypes> signatures(const expr::Function& function) {
  std::vector<expr::FunctionTypes> all;
  for (const DType type : all_dtypes()) {
    for (const DType result : {type, DType::b1}) {
      std::vector<DType> same(static_cast<size_t>(function.arity), type);
      std::vector<DType> choice = same;
      choice[0] = DType::b1;
      all.push_back({same, result});
      all.push_back({choice, result});
    }
  }
  return all;
}

}  // namespace

TEST(GeneratedFunctions, MakeTheBitsOfTheirBlockFunctions) {
  if (!plugin().is_there()) {
    GTEST_SKIP() << "built without LLVM";
  }
  for (const Isa isa : vector_isas()) {
    int num_compared = 0;
    for (const std::string& name : expr::all_functions().names()) {
      const expr::Function* const function = expr::all_functions().find_scalar(name);
      for (const expr::FunctionTypes& types :
           function == nullptr ? std::vector<expr::FunctionTypes>() : signatures(*function)) {
        num_compared += compare(name, types, isa) ? 1 : 0;
      }
    }
    EXPECT_GE(num_compared, 200);
  }
}

TEST(GeneratedFunctions, CastAsBlockFunctionsDo) {
  if (!plugin().is_there()) {
    GTEST_SKIP() << "built without LLVM";
  }
  for (const Isa isa : vector_isas()) {
    int num_compared = 0;
    for (const DType from : all_dtypes()) {
      for (const DType to : all_dtypes()) {
        num_compared += compare("cast", {{from}, to}, isa) ? 1 : 0;
      }
    }
    EXPECT_GE(num_compared, 100);
  }
}

TEST(GeneratedFunctions, RunAsOne) {
  if (!plugin().is_there()) {
    GTEST_SKIP() << "built without LLVM";
  }
  Formula formula;  // where(x > y, x * y, x - y) * 2, in place
  const int32_t x = formula.argument(0, DType::f32);
  const int32_t y = formula.argument(1, DType::f32);
  const int32_t is_greater = *add_function(formula, "greater", {x, y}, DType::b1);
  const int32_t product = *add_function(formula, "multiply", {x, y}, DType::f32);
  const int32_t difference = *add_function(formula, "subtract", {x, y}, DType::f32);
  const int32_t chosen =
      *add_function(formula, "where", {is_greater, product, difference}, DType::f32);
  const int32_t two = formula.constant(Literal(2.0), DType::f32);
  add_function(formula, "multiply", {chosen, two}, DType::f32);
  for (const Isa isa : vector_isas()) {
    const std::shared_ptr<const Code> code = code_of(formula, isa);
    ASSERT_NE(code, nullptr);
    std::vector<float> a(kBlock);
    std::vector<float> b(kBlock);
    for (int64_t e = 0; e < kBlock; ++e) {
      a[static_cast<size_t>(e)] = static_cast<float>(e % 7 - 3);
      b[static_cast<size_t>(e)] = static_cast<float>(e % 5 - 2);
    }
    const std::vector<float> before = a;
    const void* const arguments[] = {a.data(), b.data()};
    EXPECT_EQ(code->function()(arguments, a.data(), kBlock), Status::ok);
    for (size_t e = 0; e < a.size(); ++e) {
      const float was = before[e];
      EXPECT_EQ(a[e], 2 * (was > b[e] ? was * b[e] : was - b[e]));
    }
  }
}

TEST(GeneratedFunctions, AreNotOfSeriesNorOfWhatMayFault) {
  EXPECT_FALSE(formula_of("exp", {{DType::f32}, DType::f32}));
  EXPECT_FALSE(formula_of("power", {{DType::f64, DType::f64}, DType::f64}));
  EXPECT_FALSE(formula_of("floor_divide", {{DType::i32, DType::i32}, DType::i32}));
  EXPECT_FALSE(formula_of("cast", {{DType::f32}, DType::i32}));
  EXPECT_FALSE(formula_of("add", {{DType::c64, DType::c64}, DType::c64}));
  EXPECT_TRUE(formula_of("add", {{DType::f32, DType::f32}, DType::f32}));
}

}  // namespace tessera::kernels::generated::generated_functions_test
