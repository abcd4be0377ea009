#include "engine/planning/verified.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/session.h"
#include "ir/einsum/text.h"
#include "ir/tra/text.h"

namespace tessera::engine::verified_test {
namespace {

Session session_that(bool verifies) {
  Settings settings;
  settings.verify = verifies;
  return Session(settings);
}

/// A rule that is wrong: what it makes has another type than its statement.
optimizer::Rule broken_rule() {
  return {
      "to_f64", "a statement in another type", optimizer::Phase::normalize, [] {
        return optimizer::VertexRewrite(
            [](const einsum::Vertex& vertex, const optimizer::RuleContext&) -> optimizer::Outcome {
              if (vertex.name != "S" || vertex.type.dtype == DType::f64) {
                return optimizer::NotApplied{};
              }
              einsum::Vertex wrong = vertex;
              wrong.type.dtype = DType::f64;
              return optimizer::Rewritten{{wrong}};
            });
      }};
}

std::string error_of(const std::function<void()>& step) {
  try {
    step();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.message();
  }
}

std::string error_of_broken_rule(const Session& session) {
  const einsum::Graph graph =
      einsum::parse_graph({"g",
                           "einsum\n%0 = input A : f32[i=4]\n"
                           "%1 = einsum(%0) {S[i] = A[i] + A[i]} : f32[i=4]\noutput(%1) S\n"},
                          session.functions(), session.aggregates());
  optimizer::RuleRegistry rules;
  rules.add(broken_rule());
  optimizer::OptimizeOptions options;
  options.view = view_for<einsum::Graph>(session.setup());
  return error_of([&] { optimizer::optimize(graph, rules, session.context(), options); });
}

TEST(Verified, NamesTheRuleThatMadeAWrongGraph) {
  EXPECT_EQ(error_of_broken_rule(session_that(true))
                .find("what rule to_f64 made does not hold together:\n  "),
            0u)
      << error_of_broken_rule(session_that(true));
  EXPECT_EQ(error_of_broken_rule(session_that(false)), "");
}

TEST(Verified, NamesTheLoweringThatMadeAWrongGraph) {
  const Session session = session_that(true);
  tra::Graph graph = tra::parse_graph(
      {"g",
       "tra\n%0 = input A : (i:2x2) -> f32[i=4]\n"
       "%1 = aggregate(%0) keep=(i) by=sum:f32 : (i:2x2) -> f32[i=4]\noutput(%1) S\n"},
      session.functions(), session.aggregates());
  EXPECT_EQ(verified(graph, "to_tra", session.setup()), graph);
  graph.nodes[1].type.columns[0].dtype = DType::f64;
  const auto verify_graph = [&] { verified(graph, "to_tra", session.setup()); };
  EXPECT_EQ(error_of(verify_graph).find("what to_tra made does not hold together:\n  node %1"), 0u)
      << error_of(verify_graph);
}

}  // namespace
}  // namespace tessera::engine::verified_test
