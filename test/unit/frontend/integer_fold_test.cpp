#include "frontend/einsum/expression/integer_fold.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

/// Whole numbers of a program beside Python's: exact within 64 bits, else the nearest float.
namespace tessera::frontend::integer_fold_test {

namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr uint64_t kHighestUnsigned = std::numeric_limits<uint64_t>::max();

Literal folded(const std::string& function, const std::vector<Literal>& arguments) {
  return fold_integers(function, arguments).value();
}

TEST(IntegerFold, IsExactAtTheEndsOf64Bits) {
  EXPECT_EQ(folded("power", {int64_t{2}, int64_t{63}}), Literal(uint64_t{1} << 63));
  EXPECT_EQ(folded("negative", {uint64_t{1} << 63}), Literal(kLowest));
  EXPECT_EQ(folded("negative", {kLowest}), Literal(uint64_t{1} << 63));
  EXPECT_EQ(folded("abs", {kLowest}), Literal(uint64_t{1} << 63));
  EXPECT_EQ(folded("add", {kHighest, int64_t{1}}), Literal(uint64_t{1} << 63));
  EXPECT_EQ(folded("subtract", {uint64_t{1} << 63, int64_t{1}}), Literal(kHighest));
  EXPECT_EQ(folded("subtract", {kHighest, kHighestUnsigned}), Literal(kLowest));
  EXPECT_EQ(folded("floor_divide", {kHighestUnsigned, int64_t{-2}}), Literal(kLowest));
  EXPECT_EQ(folded("remainder", {kHighestUnsigned, int64_t{-2}}), Literal(int64_t{-1}));
  EXPECT_EQ(folded("left_shift", {int64_t{1}, int64_t{62}}), Literal(int64_t{1} << 62));
  EXPECT_EQ(folded("power", {int64_t{-1}, kHighest}), Literal(int64_t{-1}));
}

TEST(IntegerFold, IsTheNearestFloatBeyondThem) {
  EXPECT_EQ(folded("power", {int64_t{2}, int64_t{64}}), Literal(0x1p64));
  EXPECT_EQ(folded("add", {kHighestUnsigned, int64_t{1}}), Literal(0x1p64));
  EXPECT_EQ(folded("multiply", {kHighestUnsigned, kHighestUnsigned}), Literal(0x1p128));
  EXPECT_EQ(folded("multiply", {int64_t{3000000}, int64_t{8999999999999}}),
            Literal(26999999999997000000.0));
  EXPECT_EQ(folded("subtract", {kLowest, int64_t{1}}), Literal(-0x1p63));
  EXPECT_EQ(folded("power", {int64_t{3}, int64_t{200}}), Literal(std::pow(3.0, 200.0)));
}

TEST(IntegerFold, ComparesNumbersOfBothSigns) {
  EXPECT_EQ(folded("less", {int64_t{-1}, kHighestUnsigned}), Literal(true));
  EXPECT_EQ(folded("equal", {kHighest, uint64_t{1} << 63}), Literal(false));
  EXPECT_EQ(folded("maximum", {int64_t{-1}, kHighestUnsigned}), Literal(kHighestUnsigned));
}

TEST(IntegerFold, LeavesTheRestToTheFunctions) {
  EXPECT_FALSE(fold_integers("add", {true, true}));
  EXPECT_FALSE(fold_integers("add", {int64_t{1}, 0.5}));
  EXPECT_FALSE(fold_integers("sqrt", {int64_t{4}}));
  EXPECT_FALSE(fold_integers("floor_divide", {int64_t{4}, int64_t{0}}));
  EXPECT_FALSE(fold_integers("power", {int64_t{4}, int64_t{-1}}));
}

}  // namespace

}  // namespace tessera::frontend::integer_fold_test
