#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/frontend/program_fixture.h"

namespace tessera::frontend::counted_test {
namespace {

using testing::ElementsAre;

constexpr const char* kProgram =
    "input X[i,j], G[i]\nA[i,j] = 2 * X[i,j]\nZ[i,j] = keep[i where sum[j] A[i,j] > 3] A[i,j]\n"
    "Y[G[i], j] = sum[i] X[i,j]\noutput Z, Y\n";

BoundProgram bound_with(const std::map<std::string, int64_t>& counts,
                        const std::map<std::string, std::string>& left) {
  Bindings bindings = data({{"X", "i64[5,2]"}, {"G", "i64[5]"}});
  bindings.counts = counts;
  for (const auto& [name, type] : left) {
    bindings.left[name] = parse_array_type(type).value();
  }
  return bind_program({"p.ein", kProgram}, bindings, test_vocabulary()).value();
}

std::vector<std::string> outputs_of(const BoundProgram& program) {
  std::vector<std::string> names;
  for (const einsum::Output& output : program.graph.outputs) {
    names.push_back(output.name);
  }
  return names;
}

TEST(Counted, AProgramIsBoundUpToTheFirstCount) {
  const BoundProgram program = bound_with({}, {});
  ASSERT_TRUE(program.waits_for.has_value());
  EXPECT_EQ(program.waits_for->name, "Z.count");
  EXPECT_EQ(program.waits_for->what, "i of Z");
  EXPECT_THAT(outputs_of(program), ElementsAre("Z.count", "A", "Z.kept"));
}

TEST(Counted, WhatWasLeftIsAnInputAndTheNextCountIsWaitedFor) {
  const BoundProgram program =
      bound_with({{"Z.count", 3}}, {{"A", "i64[5,2]"}, {"Z.kept", "b1[5]"}});
  ASSERT_TRUE(program.waits_for.has_value());
  EXPECT_EQ(program.waits_for->name, "Y.groups");
  EXPECT_THAT(outputs_of(program), ElementsAre("Y.groups"));
}

TEST(Counted, ExtentsAreThoseThatWereTold) {
  const BoundProgram program =
      bound_with({{"Z.count", 3}, {"Y.groups", 6}}, {{"A", "i64[5,2]"}, {"Z.kept", "b1[5]"}});
  EXPECT_FALSE(program.waits_for.has_value());
  EXPECT_THAT(outputs_of(program), ElementsAre("Z", "Y"));
  EXPECT_EQ(program.graph.at(program.graph.outputs[0].vertex).type.shape, (Shape{3, 2}));
  EXPECT_EQ(program.graph.at(program.graph.outputs[1].vertex).type.shape, (Shape{7, 2}));
}

/// Rows of X and their positions, where a count of three rows is known.
BoundProgram bound_keeps(const std::string& second_condition) {
  Bindings bindings = data({{"X", "i64[5,2]"}, {"s", "i64[5]"}});
  bindings.counts = {{"Z.count", 3}};
  bindings.left["Z.kept"] = parse_array_type("b1[5]").value();
  return bind_program({"p.ein",
                       "input X[i,j], s[i]\nZ[i,j] = keep[i where s[i] != 0] X[i,j]\n"
                       "P[i] = keep[i where " +
                           second_condition + "] index(i)\noutput Z, P\n"},
                      bindings, test_vocabulary())
      .value();
}

TEST(Counted, WhatIsKeptByOneConditionIsCountedOnce) {
  const BoundProgram program = bound_keeps("s[i]!=0");
  EXPECT_FALSE(program.waits_for.has_value());
  EXPECT_THAT(outputs_of(program), ElementsAre("Z", "P"));
  EXPECT_EQ(program.graph.at(program.graph.outputs[1].vertex).type.shape, Shape{3});
}

TEST(Counted, AnotherConditionIsCountedForItself) {
  const BoundProgram program = bound_keeps("s[i] != 1");
  ASSERT_TRUE(program.waits_for.has_value());
  EXPECT_EQ(program.waits_for->name, "P.count");
}

TEST(Counted, NothingIsLeftOfAnEmptyTensorWithoutARound) {
  const Bindings bindings = data({{"X", "i64[0,2]"}, {"G", "i64[0]"}});
  const BoundProgram program =
      bind_program({"p.ein", "input X[i,j], G[i]\nY[G[i], j] = sum[i] X[i,j]\n"}, bindings,
                   test_vocabulary())
          .value();
  EXPECT_FALSE(program.waits_for.has_value());
  EXPECT_EQ(program.graph.at(program.graph.outputs[0].vertex).type.shape, (Shape{0, 2}));
}

}  // namespace
}  // namespace tessera::frontend::counted_test
