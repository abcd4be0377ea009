#include "engine/planning/source.h"

#include <fstream>

#include <gtest/gtest.h>

#include "unit/io/scratch_directory.h"

namespace tessera::engine::source_test {
namespace {

Source loaded(const std::string& text) {
  const io::ScratchDirectory scratch;
  std::ofstream(scratch.path("file"), std::ios::binary) << text;
  return load_source(scratch.path("file"));
}

TEST(LoadSource, TellsAProgramFromTheTextOfAStage) {
  EXPECT_TRUE(std::holds_alternative<Program>(loaded("input X[i]\n")));
  EXPECT_TRUE(std::holds_alternative<Program>(loaded("trace = 1\n")));
  EXPECT_TRUE(std::holds_alternative<StageText>(loaded("# what it is\n\n tra sites=2\n")));
  EXPECT_TRUE(std::holds_alternative<StageText>(loaded("tasks")));
}

TEST(LoadSource, LeavesOutTheMarkBeforeUtf8) {
  EXPECT_EQ(text_of(loaded("\xEF\xBB\xBFinput X[i]\r\n")).text, "input X[i]\r\n");
  EXPECT_TRUE(std::holds_alternative<StageText>(loaded("\xEF\xBB\xBFtasks\n")));
}

}  // namespace
}  // namespace tessera::engine::source_test
