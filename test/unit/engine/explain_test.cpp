#include "engine/explain/explain.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace tessera::engine::explain_test {
namespace {

constexpr const char* kProgram = "# Sums rows.\ninput X[i, j] : f32\n\nY[i] = sum[j] X[i, j]\n";

Stages planned(const Session& session) {
  frontend::Bindings bindings;
  bindings.inputs["X"] = {DType::f32, {4, 6}};
  return session.plan(Program{{"rows.ein", kProgram}}, bindings);
}

std::string error_of(const Stages& stages, const std::string& stage, const std::string& format,
                     const Session& session) {
  try {
    (void)explain(stages, stage, format, session);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.message();
  }
  return "";
}

TEST(Explain, EveryStageOpensWithItsWord) {
  const Session session;
  const Stages stages = planned(session);
  EXPECT_EQ(explain(stages, "einsum", "text", session).rfind("einsum\n", 0), 0U);
  EXPECT_EQ(explain(stages, "optimized", "text", session).rfind("einsum\n", 0), 0U);
  EXPECT_EQ(explain(stages, "tra", "text", session).rfind("tra\n", 0), 0U);
  EXPECT_EQ(explain(stages, "ia", "text", session).rfind("ia", 0), 0U);
  EXPECT_EQ(explain(stages, "tasks", "text", session).rfind("tasks ", 0), 0U);
}

TEST(Explain, AllStagesAreOneJsonObject) {
  const Session session;
  const nlohmann::json all =
      nlohmann::json::parse(explain(planned(session), "all", "json", session));
  for (const char* stage : {"einsum", "optimized", "tra", "ia", "tasks"}) {
    EXPECT_TRUE(all.contains(stage)) << stage;
  }
}

TEST(Explain, RefusesWhatItDoesNotHave) {
  const Session session;
  const Stages stages = planned(session);
  EXPECT_NE(error_of(stages, "tasky", "text", session), "");
  EXPECT_NE(error_of(stages, "all", "dot", session), "");
  EXPECT_EQ(explain(stages, "tra", "dot", session).rfind("digraph", 0), 0U);
  const Session again;
  const Stages later =
      again.plan(StageText{{"p.tra", explain(stages, "tra", "text", session)}}, {});
  EXPECT_NE(error_of(later, "einsum", "text", again), "");
  EXPECT_EQ(explain(later, "tra", "text", again), explain(stages, "tra", "text", session));
}

}  // namespace
}  // namespace tessera::engine::explain_test
