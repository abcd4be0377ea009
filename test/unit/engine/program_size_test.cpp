#include "engine/planning/program_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "engine/explain/explain.h"
#include "engine/session.h"

namespace tessera::engine::program_size_test {
namespace {

using testing::HasSubstr;

/// Statements of so many terms each, all results.
std::string program(int64_t num_statements, int64_t num_terms) {
  std::string text = "input X[i]\n";
  for (int64_t number = 0; number < num_statements; ++number) {
    text += fmt::format("Y{}[i] = X[i] * {}", number, number);
    for (int64_t term = 0; term < num_terms; ++term) {
      text += fmt::format(" + {}", term + 2);
    }
    text += "\n";
  }
  for (int64_t number = 0; number < num_statements; ++number) {
    text += fmt::format("{}Y{}", number == 0 ? "output " : ", ", number);
  }
  return text + "\n";
}

Stages planned(const Session& session, const std::string& text) {
  return session.plan(Program{{"p.ein", text}}, {{{"X", ArrayType{DType::f64, {4}}}}, {}});
}

/// Why the program is refused under a budget.
std::string refusal_under(int64_t bytes, const std::string& text) {
  Settings settings;
  settings.memory_bytes = bytes;
  const Session session(settings);
  try {
    planned(session, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    return error.what();
  }
  return "";
}

int64_t held_bytes(int64_t num_statements, int64_t num_terms) {
  const Session session;
  return held_by(planned(session, program(num_statements, num_terms)).plan()).bytes;
}

TEST(ProgramSize, CountsWhatIsBeyondTheFirst24MiB) {
  EXPECT_EQ(held_bytes(1'000, 1), 0);
  const int64_t some = held_bytes(3'000, 1);
  EXPECT_GT(some, 0);
  EXPECT_GT(held_bytes(4'000, 1) - some, 1'000 * 7'000);
  EXPECT_GT(held_bytes(3'000, 11) - some, 3'000 * 10 * 600);
}

TEST(ProgramSize, OfAStagesTextIsThatOfTheStage) {
  const Session session;
  const Stages stages = planned(session, program(8'000, 1));
  const int64_t whole = held_by(stages.plan()).bytes;
  for (const char* stage : {"tra", "ia", "tasks"}) {
    const std::string text = explain(stages, stage, "text", session);
    const Stages again = session.plan(StageText{{"p", text}}, {});
    const plan::Held held = held_by(again.plan());
    EXPECT_GT(held.bytes, 0) << stage;
    EXPECT_LT(held.bytes, whole) << stage;
    EXPECT_THAT(held.by, HasSubstr(std::string(stage) == "tasks" ? " programs" : " nodes"));
  }
}

TEST(ProgramSize, RefusesWhatLeavesNoRoomBeforeItPlans) {
  EXPECT_THAT(
      refusal_under(1 << 20, program(4'000, 1)),
      HasSubstr("the program itself, which has 4001 statements, so no plan has room for its"));
}

TEST(ProgramSize, IsPartOfTheSmallestBudget) {
  const std::string text = program(3'000, 1);
  const int64_t held = held_bytes(3'000, 1);
  EXPECT_THAT(refusal_under(held + 64, text),
              HasSubstr("MiB for the program itself, which has 3001 statements"));
  EXPECT_EQ(refusal_under(held + (1 << 20), text), "");
}

}  // namespace
}  // namespace tessera::engine::program_size_test
