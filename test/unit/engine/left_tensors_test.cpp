#include "engine/planning/left_tensors.h"

#include <gtest/gtest.h>

#include "engine/session.h"
#include "store/memory_tensor.h"

namespace tessera::engine::left_tensors_test {

namespace {

/// The program as it is bound, for data of these types.
frontend::BoundProgram bound(const Session& session, const std::string& text,
                             const std::map<std::string, ArrayType>& inputs) {
  return frontend::bind_program({"p.ein", text}, {inputs, {}},
                                {session.functions(), session.aggregates()})
      .value();
}

const char* const kText =
    "input x[i]\n"
    "y[i] = 2 * x[i]\n"
    "z[i] = y[i] + 1\n"
    "output z\n";

TEST(LeftTensors, StandInThePlaceOfTheirStatements) {
  const Session session;
  const ArrayType type{DType::f64, {3}};
  const frontend::BoundProgram program = bound(session, kText, {{"x", type}});
  const einsum::Graph graph = with_left_tensors(program.graph, {{"y", type}});
  ASSERT_EQ(graph.vertices.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<einsum::Input>(graph.vertices[1].op));
  EXPECT_TRUE(graph.vertices[1].operands.empty());
  EXPECT_EQ(graph.vertices[2], program.graph.vertices[2]);
}

TEST(BoundProgram, IsPlannedAsItsText) {
  const Session session;
  const std::map<std::string, ArrayType> inputs{{"x", {DType::f64, {3}}}};
  const frontend::Bindings bindings{inputs, {}};
  const Stages by_text = session.plan(Program{{"p.ein", kText}}, bindings);
  const Stages by_graph = session.plan(bound(session, kText, inputs), bindings);
  EXPECT_EQ(by_graph.choices()->bound, by_text.choices()->bound);
  EXPECT_EQ(*by_graph.relations(), *by_text.relations());
}

}  // namespace

}  // namespace tessera::engine::left_tensors_test
