#include "frontend/einsum/program/statement_binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/einsum/program/parser.h"
#include "unit/frontend/program_fixture.h"

namespace tessera::frontend::statement_binder_test {

namespace {

/// The statement of a program that is one, over tensors of these types.
KnownStatement statement(const std::string& text, const std::map<std::string, std::string>& types,
                         const std::map<std::string, int64_t>& label_extents = {}) {
  Diagnostics findings({"p.ein", text});
  KnownStatement known;
  known.syntax = parse_program(findings);
  EXPECT_TRUE(findings.empty()) << findings.render();
  known.assignment = std::get<Assignment>(known.syntax.statements.front().of);
  known.label_extents = label_extents;
  for (const auto& [name, type] : types) {
    known.tensors.emplace_back(name, parse_array_type(type).value());
  }
  return known;
}

TEST(StatementBinder, BindsWhatAProgramBinds) {
  const StatementBinder binder(test_vocabulary());
  const std::map<std::string, std::string> types{{"A", "f32[2,3]"}, {"B", "f32[3,4]"}};
  const einsum::Graph graph =
      binder.bind(statement("C[i,j] = exp(sum[k] A[i,k] * B[k,j])", types)).value();
  const einsum::Graph program =
      bind_text("input A[i,k], B[k,j]\nC[i,j] = exp(sum[k] A[i,k] * B[k,j])", data(types)).value();
  ASSERT_EQ(graph.vertices.size(), program.vertices.size());
  for (size_t vertex = 2; vertex < graph.vertices.size(); ++vertex) {
    EXPECT_EQ(graph.vertices[vertex].op, program.vertices[vertex].op);
    EXPECT_EQ(graph.vertices[vertex].operands, program.vertices[vertex].operands);
    EXPECT_EQ(graph.vertices[vertex].name, program.vertices[vertex].name);
  }
  ASSERT_EQ(graph.outputs.size(), 1u);
  EXPECT_EQ(graph.outputs.front().vertex, program.outputs.front().vertex);
}

TEST(StatementBinder, TakesExtentsOfLabelsThatNothingIsReadWith) {
  const StatementBinder binder(test_vocabulary());
  const einsum::Graph graph = binder.bind(statement("C[i] = 2 * index(i)", {}, {{"i", 5}})).value();
  EXPECT_EQ(graph.vertices.front().type.shape, (Shape{5}));
}

TEST(StatementBinder, GroupsByNumbers) {
  const StatementBinder binder(test_vocabulary());
  const einsum::Graph graph =
      binder.bind(statement("C[G[n] of 3] = sum[n] x[n]", {{"G", "i64[10]"}, {"x", "f64[10]"}}))
          .value();
  EXPECT_EQ(graph.at(graph.outputs.front().vertex).type.shape, (Shape{3}));
}

TEST(StatementBinder, SaysWhatHasNoMeaning) {
  const StatementBinder binder(test_vocabulary());
  const Result<einsum::Graph> bound =
      binder.bind(statement("C[i] = A[i,i,i]", {{"A", "f64[3,3]"}}));
  ASSERT_FALSE(bound.ok());
  EXPECT_THAT(bound.diagnostics().found().front().message, testing::HasSubstr("3"));
}

}  // namespace

}  // namespace tessera::frontend::statement_binder_test
