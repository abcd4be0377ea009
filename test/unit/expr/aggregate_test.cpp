#include "expr/aggregate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "expr/function.h"
#include "unit/expr/registries.h"

namespace tessera::expr::aggregate_test {
namespace {

/// What the aggregate binds to, or nothing where it refuses the dtype.
std::optional<BoundAggregate> try_bind(const Aggregate& aggregate, DType dtype) {
  try {
    return aggregate.bind(dtype);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return std::nullopt;
  }
}

template <class Check>
void for_every_binding(Check check) {
  const AggregateRegistry& registry = all_aggregates();
  for (const std::string& name : registry.names()) {
    for (const DType dtype : all_dtypes()) {
      const std::optional<BoundAggregate> bound = try_bind(*registry.find(name), dtype);
      if (bound.has_value()) {
        SCOPED_TRACE(name + " of " + std::string(name_of(dtype)));
        check(*registry.find(name), dtype, *bound);
      }
    }
  }
}

void expect_calls_are_bound(const Scalar& scalar, const FunctionRegistry& functions) {
  for (const Node& node : scalar.nodes) {
    const auto* call = std::get_if<Call>(&node.op);
    if (call == nullptr) {
      continue;
    }
    std::vector<DType> arguments;
    for (const int32_t argument : call->arguments) {
      arguments.push_back(scalar.nodes[static_cast<size_t>(argument)].dtype);
    }
    const Function* function = functions.find(call->function);
    ASSERT_NE(function, nullptr) << call->function;
    const FunctionTypes types = function->bind(arguments);
    EXPECT_EQ(types.result, node.dtype) << call->function;
    EXPECT_EQ(types.arguments, arguments) << call->function;
  }
}

TEST(Aggregate, TheRegistryHasThoseOfTheLanguage) {
  EXPECT_THAT(all_aggregates().names(),
              testing::ElementsAre("all", "any", "argmax", "argmin", "logsumexp", "max", "mean",
                                   "min", "prod", "sum"));
  EXPECT_EQ(all_aggregates().find("median"), nullptr);
}

TEST(Aggregate, BindingTheFirstStateGivesTheSameMonoid) {
  for_every_binding([](const Aggregate& aggregate, DType, const BoundAggregate& bound) {
    EXPECT_EQ(aggregate.bind(bound.monoid.state[0]).monoid, bound.monoid);
  });
}

TEST(Aggregate, HasOneLiftCombineAndIdentityPerState) {
  for_every_binding([](const Aggregate& aggregate, DType, const BoundAggregate& bound) {
    const size_t num_states = bound.monoid.state.size();
    EXPECT_EQ(bound.monoid.name, aggregate.name);
    ASSERT_EQ(bound.lift.size(), num_states);
    ASSERT_EQ(bound.monoid.combine.size(), num_states);
    ASSERT_EQ(bound.monoid.identity.size(), num_states);
    for (size_t entry = 0; entry < num_states; ++entry) {
      EXPECT_EQ(bound.lift[entry].dtype(), bound.monoid.state[entry]);
      EXPECT_EQ(bound.monoid.combine[entry].dtype(), bound.monoid.state[entry]);
    }
  });
}

TEST(Aggregate, CallsFunctionsWithTheDtypesTheyAskFor) {
  FunctionRegistry functions;
  register_all_functions(functions);
  for_every_binding([&](const Aggregate&, DType, const BoundAggregate& bound) {
    expect_calls_are_bound(bound.finalise, functions);
    for (const Scalar& combine : bound.monoid.combine) {
      expect_calls_are_bound(combine, functions);
    }
  });
}

TEST(Aggregate, ResultsHaveNumpysDtypes) {
  const AggregateRegistry& registry = all_aggregates();
  const auto result = [&](const char* name, DType dtype) {
    return registry.find(name)->bind(dtype).result();
  };
  EXPECT_EQ(result("sum", DType::i8), DType::i8);
  EXPECT_EQ(result("sum", DType::f16), DType::f16);
  EXPECT_EQ(result("mean", DType::i32), DType::f64);
  EXPECT_EQ(result("mean", DType::b1), DType::f64);
  EXPECT_EQ(result("mean", DType::bf16), DType::bf16);
  EXPECT_EQ(result("mean", DType::c64), DType::c64);
  EXPECT_EQ(result("any", DType::c128), DType::b1);
  EXPECT_EQ(result("argmax", DType::f16), DType::i64);
  EXPECT_EQ(result("logsumexp", DType::i16), DType::f32);
}

TEST(Aggregate, OnlyPlainReductionsAreTheirState) {
  const AggregateRegistry& registry = all_aggregates();
  EXPECT_TRUE(is_plain(registry.find("sum")->bind(DType::f32)));
  EXPECT_TRUE(is_plain(registry.find("max")->bind(DType::f16)));
  EXPECT_FALSE(is_plain(registry.find("sum")->bind(DType::f16)));
  EXPECT_FALSE(is_plain(registry.find("any")->bind(DType::f32)));
  EXPECT_FALSE(is_plain(registry.find("argmax")->bind(DType::f32)));
}

TEST(Aggregate, OrderIsNeededWhereNumbersAreCompared) {
  const AggregateRegistry& registry = all_aggregates();
  for (const char* name : {"max", "min", "argmax", "argmin"}) {
    EXPECT_FALSE(registry.find(name)->bind(DType::f32).defined_on_empty);
    try {
      registry.find(name)->bind(DType::c64);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), testing::HasSubstr("complex numbers have no order"));
    }
  }
}

}  // namespace
}  // namespace tessera::expr::aggregate_test
