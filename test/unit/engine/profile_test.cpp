#include "engine/explain/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::engine::profile_test {
namespace {

using testing::ElementsAre;

plan::TaskInfo task(plan::TaskKind kind, const std::string& statement, int64_t tile,
                    const std::string& kernel = "") {
  plan::TaskInfo info;
  info.kind = kind;
  info.kernel = kernel;
  info.origin = Origin{statement, "p.ein", 1, 1};
  info.flops = 10;
  info.bytes = 100;
  info.seconds = 0.5;
  (kind == plan::TaskKind::write_sink ? info.inputs : info.outputs)
      .push_back({plan::TileId(tile), nullptr});
  return info;
}

/// X is read; Y is made in two steps into one tile, by two kernels; Y is written.
plan::TaskGraph read_compute_write() {
  plan::TaskGraph graph;
  graph.tiles.resize(2);
  graph.tasks = {
      task(plan::TaskKind::read_source, "X", 0), task(plan::TaskKind::compute, "Y", 1, "fast"),
      task(plan::TaskKind::compute, "Y", 1, "slow"), task(plan::TaskKind::write_sink, "Y", 1)};
  return graph;
}

TEST(Profile, AddsUpAStatementsTasksAndCountsATileOnce) {
  const std::vector<StatementProfile> profiles = profile_of(read_compute_write(), nullptr);
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles[0].origin.statement, "X");
  EXPECT_THAT(profiles[0].kernels, ElementsAre("read"));
  EXPECT_EQ(profiles[1].num_tasks, 3);
  EXPECT_EQ(profiles[1].num_tiles, 1);
  EXPECT_EQ(profiles[1].flops, 30);
  EXPECT_EQ(profiles[1].bytes, 300);
  EXPECT_EQ(profiles[1].estimated_seconds, 1.5);
  EXPECT_THAT(profiles[1].kernels, ElementsAre("fast", "slow", "write"));
  EXPECT_FALSE(profiles[1].actual_seconds.has_value());
}

TEST(Profile, TakesTimesAndSpillsFromARun) {
  runtime::RunReport report;
  report.tasks = {{0, 1, 0}, {1, 2, 0}, {3, 4, 0}, {7, 8, 0}};
  report.spills = {0, 3};
  const std::vector<StatementProfile> profiles = profile_of(read_compute_write(), &report);
  EXPECT_EQ(*profiles[0].actual_seconds, 1);
  EXPECT_EQ(*profiles[1].actual_seconds, 2 + 4 + 8);
  EXPECT_EQ(profiles[0].num_spills, 0);
  EXPECT_EQ(profiles[1].num_spills, 3);
  const StatementProfile total = total_of(profiles);
  EXPECT_EQ(total.num_tasks, 4);
  EXPECT_EQ(total.num_tiles, 2);
  EXPECT_EQ(*total.actual_seconds, 15);
  EXPECT_THAT(total.kernels, ElementsAre("read", "fast", "slow", "write"));
}

TEST(Profile, ExecutionIsWhatDoesNotWaitForFilesAlone) {
  // Read from 0 to 4 while a task computes from 1 to 2 and another from 2 to 3; written from 5 to
  // 6; nothing at all from 4 to 5 and from 6 to 10.
  runtime::RunReport report;
  report.tasks = {{0, 4, 0}, {1, 1, 1}, {2, 1, 1}, {5, 1, 0}};
  report.seconds = 10;
  const RunTimes times = times_of(read_compute_write(), report);
  EXPECT_EQ(times.read_seconds, 4);
  EXPECT_EQ(times.write_seconds, 1);
  EXPECT_EQ(times.execution_seconds, 10 - (1 + 1 + 1));
}

}  // namespace
}  // namespace tessera::engine::profile_test
