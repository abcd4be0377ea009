#include "expr/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/aggregate.h"
#include "expr/function_ids.h"

namespace tessera::expr::function_test {
namespace {

FunctionRegistry all_functions() {
  FunctionRegistry registry;
  register_all_functions(registry);
  return registry;
}

FunctionTypes bind(const std::string& name, const std::vector<DType>& arguments) {
  return all_functions().find(name)->bind(arguments);
}

DType result(const std::string& name, const std::vector<DType>& arguments) {
  return bind(name, arguments).result;
}

std::string refusal(const std::string& name, const std::vector<DType>& arguments) {
  try {
    bind(name, arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.message();
  }
  return "";
}

TEST(Function, EveryNameHasASummaryAndRefusesTheWrongNumberOfArguments) {
  const FunctionRegistry registry = all_functions();
  EXPECT_GT(registry.names().size(), 70u);
  for (const std::string& name : registry.names()) {
    const Function& function = *registry.find(name);
    EXPECT_FALSE(function.summary.empty()) << name;
    EXPECT_FALSE(function.associative && function.arity != 2) << name;
    EXPECT_THAT(refusal(name, {}), testing::HasSubstr(name + " takes ")) << name;
  }
  EXPECT_EQ(registry.find("nonsense"), nullptr);
}

TEST(Function, FloatFunctionsTakeNumpysFloat) {
  EXPECT_EQ(result("exp", {DType::i8}), DType::f16);
  EXPECT_EQ(result("exp", {DType::b1}), DType::f16);
  EXPECT_EQ(result("exp", {DType::u16}), DType::f32);
  EXPECT_EQ(result("exp", {DType::i32}), DType::f64);
  EXPECT_EQ(result("exp", {DType::bf16}), DType::bf16);
  EXPECT_EQ(result("exp", {DType::c64}), DType::c64);
  EXPECT_EQ(result("atan2", {DType::i8, DType::u8}), DType::f16);
  EXPECT_EQ(result("atan2", {DType::i8, DType::bf16}), DType::bf16);
  EXPECT_EQ(result("atan2", {DType::i16, DType::f16}), DType::f32);
}

TEST(Function, ArithmeticPromotes) {
  EXPECT_EQ(result("add", {DType::b1, DType::b1}), DType::b1);
  EXPECT_EQ(result("add", {DType::i64, DType::u64}), DType::f64);
  EXPECT_EQ(result("add", {DType::f16, DType::bf16}), DType::f32);
  EXPECT_EQ(result("multiply", {DType::f32, DType::c64}), DType::c64);
  EXPECT_EQ(result("divide", {DType::i8, DType::i8}), DType::f64);
  EXPECT_EQ(result("divide", {DType::b1, DType::b1}), DType::f64);
  EXPECT_EQ(result("divide", {DType::f16, DType::f16}), DType::f16);
  EXPECT_EQ(result("power", {DType::b1, DType::b1}), DType::i8);
  EXPECT_EQ(result("floor_divide", {DType::i32, DType::i8}), DType::i32);
  EXPECT_EQ(result("abs", {DType::c128}), DType::f64);
  EXPECT_EQ(result("left_shift", {DType::u8, DType::i8}), DType::i16);
}

TEST(Function, TestsGiveBools) {
  EXPECT_EQ(result("less", {DType::i32, DType::f32}), DType::b1);
  EXPECT_EQ(bind("less", {DType::i32, DType::f32}).arguments,
            (std::vector<DType>{DType::f64, DType::f64}));
  EXPECT_EQ(bind("logical_and", {DType::f32, DType::i8}).arguments,
            (std::vector<DType>{DType::b1, DType::b1}));
  EXPECT_EQ(bind("isnan", {DType::i64}).arguments, (std::vector<DType>{DType::f64}));
  EXPECT_EQ(bind("where", {DType::f32, DType::i8, DType::f32}).arguments,
            (std::vector<DType>{DType::b1, DType::f32, DType::f32}));
}

TEST(Function, RefusalsSayWhatWouldWork) {
  EXPECT_THAT(refusal("subtract", {DType::b1, DType::b1}), testing::HasSubstr("logical_xor"));
  EXPECT_THAT(refusal("less", {DType::c64, DType::f32}),
              testing::HasSubstr("less is not defined for c64, f32"));
  EXPECT_THAT(refusal("maximum", {DType::c64, DType::c64}), testing::HasSubstr("abs(x)"));
  EXPECT_THAT(refusal("bitwise_and", {DType::f32, DType::i8}), testing::HasSubstr("integers"));
  EXPECT_THAT(refusal("left_shift", {DType::u64, DType::i8}), testing::HasSubstr("left_shift"));
}

TEST(Function, HasACostClassOfItsOwn) {
  const FunctionRegistry registry = all_functions();
  EXPECT_EQ(registry.find("bitwise_xor")->cost, FunctionCost::instruction);
  EXPECT_EQ(registry.find("divide")->cost, FunctionCost::instruction);
  EXPECT_EQ(registry.find("tanh")->cost, FunctionCost::series);
  EXPECT_EQ(registry.find("power")->cost, FunctionCost::one_by_one);
}

TEST(Function, DistributesOverAggregatesThatExist) {
  const FunctionRegistry registry = all_functions();
  AggregateRegistry aggregates;
  register_all_aggregates(aggregates);
  for (const std::string& name : registry.names()) {
    for (const std::string& aggregate : registry.find(name)->distributes_over) {
      EXPECT_NE(aggregates.find(aggregate), nullptr) << name << " over " << aggregate;
    }
  }
}

TEST(Function, AnnihilatesAggregatesThatExist) {
  const FunctionRegistry registry = all_functions();
  AggregateRegistry aggregates;
  register_all_aggregates(aggregates);
  for (const std::string& name : registry.names()) {
    const Function& function = *registry.find(name);
    for (const auto* list : {&function.annihilates, &function.annihilates_floats}) {
      for (const std::string& aggregate : *list) {
        EXPECT_NE(aggregates.find(aggregate), nullptr) << name << " under " << aggregate;
      }
    }
  }
}

TEST(Function, AnnihilatesIsTheTable) {
  EXPECT_TRUE(all_functions().annihilates("multiply", "sum", DType::f32));
  EXPECT_TRUE(all_functions().annihilates("add", "max", DType::f32));
  EXPECT_FALSE(all_functions().annihilates("add", "max", DType::i32));
  EXPECT_TRUE(all_functions().annihilates("minimum", "max", DType::i32));
  EXPECT_TRUE(all_functions().annihilates("logical_or", "all", DType::b1));
  EXPECT_FALSE(all_functions().annihilates("multiply", "max", DType::f32));
  EXPECT_FALSE(all_functions().annihilates("add", "sum", DType::f32));
  EXPECT_FALSE(all_functions().annihilates("divide", "sum", DType::f32));
  EXPECT_FALSE(all_functions().annihilates("nobody", "sum", DType::f32));
}

TEST(Function, DistributesOverIsTheTable) {
  EXPECT_TRUE(all_functions().distributes_over("multiply", "sum"));
  EXPECT_TRUE(all_functions().distributes_over("add", "max"));
  EXPECT_TRUE(all_functions().distributes_over("minimum", "max"));
  EXPECT_TRUE(all_functions().distributes_over("logical_and", "any"));
  EXPECT_FALSE(all_functions().distributes_over("multiply", "max"));
  EXPECT_FALSE(all_functions().distributes_over("add", "sum"));
  EXPECT_FALSE(all_functions().distributes_over("divide", "sum"));
  EXPECT_FALSE(all_functions().distributes_over("logical_and", "all"));
}

TEST(FunctionIds, AreThoseOfRegisteredFunctionsAndAggregates) {
  const FunctionRegistry functions = all_functions();
  for (const char* const function : id::kFunctions) {
    EXPECT_NE(functions.find(function), nullptr) << function;
  }
  AggregateRegistry aggregates;
  register_all_aggregates(aggregates);
  for (const char* const aggregate : id::kAggregates) {
    EXPECT_NE(aggregates.find(aggregate), nullptr) << aggregate;
  }
}

}  // namespace
}  // namespace tessera::expr::function_test
