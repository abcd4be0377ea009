#include "expr/function_value.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/error.h"
#include "unit/expr/registries.h"

namespace tessera::expr::function_value_test {
namespace {

std::optional<double> value(const std::string& function, const std::vector<double>& arguments) {
  return value_of(function, arguments);
}

TEST(FunctionValue, IsWhatTheCodeOfTheFunctionGives) {
  EXPECT_EQ(value("add", {2, 3}), 5);
  EXPECT_EQ(value("divide", {3, 4}), 0.75);
  EXPECT_EQ(value("exp", {0}), 1);
  EXPECT_EQ(value("maximum", {-INFINITY, 1}), 1);
  EXPECT_EQ(value("less", {1, 2}), 1) << "a truth value";
  EXPECT_EQ(value("logical_and", {1, 0}), 0);
  EXPECT_EQ(value("where", {0, 5, 7}), 7);
  EXPECT_EQ(value("clip", {9, 1, 4}), 4);
}

TEST(FunctionValue, IsOneOfWholeNumbers) {
  const auto whole = [](const std::string& function, const std::vector<int64_t>& arguments) {
    return value_of(function, arguments);
  };
  EXPECT_EQ(whole("bitwise_and", {6, 3}), 2);
  EXPECT_EQ(whole("add", {int64_t{1} << 53, 1}), (int64_t{1} << 53) + 1) << "no float";
  EXPECT_EQ(whole("floor_divide", {-7, 2}), -4);
  EXPECT_EQ(whole("less", {1, 2}), 1) << "a truth value";
  EXPECT_EQ(whole("where", {0, 5, 7}), 7);
  EXPECT_EQ(whole("exp", {0}), std::nullopt) << "of floats alone";
  EXPECT_THROW(whole("floor_divide", {1, 0}), Error);
  EXPECT_THROW(whole("power", {2, -1}), Error);
}

TEST(FunctionValue, IsNotKnownOfWhatIsOfIntegersAlone) {
  EXPECT_EQ(value("bitwise_and", {1, 1}), std::nullopt);
  EXPECT_EQ(value("no such function", {1}), std::nullopt);
}

TEST(FunctionValue, IsKnownOfEveryFunctionOfFloats) {
  int num_known = 0;
  int num_of_numbers = 0;
  for (const std::string& name : all_functions().names()) {
    const Function& function = *all_functions().find(name);
    if (function.core || function.group == FunctionGroup::draws) {
      EXPECT_EQ(value_of(name, std::vector<double>(static_cast<size_t>(function.arity), 1)),
                std::nullopt)
          << name;
      continue;
    }
    ++num_of_numbers;
    const std::vector<double> ones(static_cast<size_t>(function.arity), 1);
    num_known += value_of(name, ones).has_value() ? 1 : 0;
  }
  EXPECT_EQ(num_known, num_of_numbers - 6)
      << "bitwise_and, bitwise_or, bitwise_xor, in_group, left_shift and right_shift are not";
}

}  // namespace
}  // namespace tessera::expr::function_value_test
