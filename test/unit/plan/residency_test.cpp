#include "plan/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/dependencies.h"
#include "plan/memory.h"
#include "plan/order.h"
#include "plan/paging.h"
#include "unit/plan/plain_tasks.h"

namespace tessera::plan::residency_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Reads 0 and 1, makes 2 of 0 and 3 of 1; then uses 3, 1, 0, 2 in this order.
Tasks four_tiles() {
  Tasks tasks(4);
  tasks.read(0);
  tasks.read(1);
  tasks.compute({0}, 2);
  tasks.compute({1}, 3);
  for (const int64_t used : {3, 1, 0, 2}) {
    tasks.write(used);
  }
  return tasks;
}

SpaceBytes bytes(int64_t number) {
  return {kFirstSpace, number};
}

void run_next(Residency& residency, int64_t number) {
  residency.start(task(number));
  residency.finish(task(number));
}

TEST(Dependencies, AreTheLastWriterAndEarlierReaders) {
  Tasks tasks(3);
  tasks.read(0);             // 0
  tasks.compute({0}, 1);     // 1
  tasks.compute({0}, 2);     // 2
  tasks.compute({2}, 1);     // 3: adds to tile 1
  tasks.compute({1}, 0);     // 4: overwrites what 1 and 2 read
  tasks.compute({0, 0}, 0);  // 5: in place
  const Incidence<TaskId, TaskId> dependencies = dependencies_of(tasks.graph);
  EXPECT_THAT(dependencies.of(task(0)), IsEmpty());
  EXPECT_THAT(dependencies.of(task(1)), ElementsAre(task(0)));
  EXPECT_THAT(dependencies.of(task(3)), ElementsAre(task(1), task(2)));
  EXPECT_THAT(dependencies.of(task(4)), ElementsAre(task(0), task(3), task(1), task(2)));
  EXPECT_THAT(dependencies.of(task(5)), ElementsAre(task(4)));
  const auto followers = dependencies.reversed(tasks.graph.tasks.size());
  EXPECT_THAT(followers.of(task(0)), ElementsAre(task(1), task(2), task(4)));
  EXPECT_THAT(followers.of(task(5)), IsEmpty());
}

TEST(Residency, TheVictimIsTheTileWithTheFarthestNextUse) {
  const Tasks tasks = four_tiles();
  Residency residency(tasks.graph, 4 * 64);
  for (int64_t number = 0; number < 4; ++number) {
    run_next(residency, number);
  }
  // By next use: 3, 1, 0, 2. Tile 2 was computed; 0 and 1 can be read again.
  Residency::Room room = residency.room_for(bytes(64), task(4));
  EXPECT_FALSE(room.ready);
  EXPECT_EQ(room.to_spill, tile(2));
  residency.begin_spill(tile(2));
  EXPECT_FALSE(residency.room_for(bytes(64), task(4)).ready);
  EXPECT_EQ(residency.room_for(bytes(64), task(4)).to_spill, std::nullopt);  // wait for it
  residency.end_spill(tile(2));
  EXPECT_TRUE(residency.room_for(bytes(64), task(4)).ready);
  room = residency.room_for(bytes(3 * 64), task(4));
  EXPECT_TRUE(room.ready);
  EXPECT_THAT(room.dropped, ElementsAre(tile(0), tile(1)));
}

TEST(Residency, NoTileIsGivenUpForATaskThatIsLaterThanItsNextUse) {
  const Tasks tasks = four_tiles();
  Residency residency(tasks.graph, 4 * 64);
  for (int64_t number = 0; number < 4; ++number) {
    run_next(residency, number);
  }
  // Only tile 2 is used after task 6.
  const Residency::Room room = residency.room_for(bytes(2 * 64), task(6));
  EXPECT_FALSE(room.ready);
  EXPECT_EQ(room.to_spill, std::nullopt);
  EXPECT_EQ(residency.room_for(bytes(64), task(6)).to_spill, tile(2));
}

TEST(Residency, TilesOfRunningTasksStay) {
  const Tasks tasks = four_tiles();
  Residency residency(tasks.graph, 4 * 64);
  run_next(residency, 0);
  run_next(residency, 1);
  residency.start(task(2));
  residency.start(task(3));
  EXPECT_EQ(residency.free_bytes(kFirstSpace), 0);
  const Residency::Room room = residency.room_for(bytes(64), task(4));
  EXPECT_FALSE(room.ready);
  EXPECT_EQ(room.to_spill, std::nullopt);
}

TEST(Residency, ATileThatIsLoadedTakesItsBytesAndStaysOnDiskUntilItChanges) {
  Tasks tasks(2);
  tasks.compute({}, 0);
  tasks.compute({}, 1);
  tasks.write(1);
  tasks.write(0);
  tasks.compute({1}, 0);
  tasks.write(0);
  Residency residency(tasks.graph, 64 * 2);
  run_next(residency, 0);
  run_next(residency, 1);
  residency.begin_spill(tile(0));
  residency.end_spill(tile(0));
  EXPECT_TRUE(residency.is_paged_out(tile(0)));
  EXPECT_EQ(residency.bytes_in_use(kFirstSpace), 64);
  run_next(residency, 2);
  EXPECT_EQ(residency.bytes_to_start(task(3)).of(kFirstSpace), 64);
  const Residency::Start start = residency.start(task(3));
  EXPECT_THAT(start.loaded, ElementsAre(tile(0)));
  EXPECT_THAT(start.fresh, IsEmpty());
  EXPECT_TRUE(residency.is_moving(tile(0)));
  residency.end_load(tile(0));
  residency.finish(task(3));
  EXPECT_TRUE(residency.has_copy(tile(0)));
  run_next(residency, 4);
  EXPECT_FALSE(residency.has_copy(tile(0)));
}

TEST(Residency, ATileThatNoTaskNeedsAnyMoreIsGone) {
  const Tasks tasks = four_tiles();
  Residency residency(tasks.graph, 4 * 64);
  for (int64_t number = 0; number < 4; ++number) {
    run_next(residency, number);
  }
  residency.start(task(4));
  EXPECT_THAT(residency.finish(task(4)), ElementsAre(tile(3)));
  EXPECT_EQ(residency.bytes_in_use(kFirstSpace), 3 * 64);
}

TEST(Memory, TheSmallestBudgetIsTheLargestTask) {
  Tasks tasks(4);
  tasks.read(0);
  tasks.read(1);
  tasks.add(TaskKind::compute, {0, 1, 0}, {2}, 65);
  tasks.add(TaskKind::compute, {2}, {3}, 64);
  const MemoryNeed need = smallest_budget(tasks.graph, kFirstSpace);
  EXPECT_EQ(need.bytes, 3 * 64 + 128);  // a tile that is read twice is there once
  EXPECT_EQ(need.task, task(2));
  EXPECT_EQ(serial_peak(tasks.graph, kFirstSpace).bytes.at_most, 3 * 64 + 128);
}

TEST(Memory, AnEmptyPlanNeedsNothing) {
  EXPECT_EQ(smallest_budget({}, kFirstSpace).bytes, 0);
  EXPECT_EQ(serial_peak({}, kFirstSpace).bytes, Bytes{});
  EXPECT_EQ(forecast_paging({}, 0).num_spills, 0);
}

TEST(Memory, ATileOfNoElementsIsCharged) {
  EXPECT_EQ(charged_bytes(0), 64);
  EXPECT_EQ(charged_bytes(64), 64);
  EXPECT_EQ(charged_bytes(65), 128);
}

TEST(Memory, HugeTilesAreCountedWithoutOverflow) {
  Tasks tasks(3);
  for (TileInfo& huge : tasks.graph.tiles) {
    huge.type = DenseTile{DType::i64, {{0}, {int64_t{1} << 59}}};
  }
  tasks.compute({0, 1}, 2);
  EXPECT_GT(smallest_budget(tasks.graph, kFirstSpace).bytes, int64_t{1} << 60);
  EXPECT_GT(serial_peak(tasks.graph, kFirstSpace).bytes.at_most, int64_t{1} << 60);
}

TEST(Paging, SourcesAreReadAgainAndResultsOfTasksAreSpilled) {
  const Tasks tasks = four_tiles();
  const Paging enough = forecast_paging(tasks.graph, 4 * 64);
  EXPECT_EQ(enough.num_spills + enough.num_loads, 0);
  const Paging little = forecast_paging(tasks.graph, 2 * 64);
  // Tile 2 goes for 1 and 3, and comes back; 0 and 1 are read again or stay.
  EXPECT_EQ(little.num_spills, 1);
  EXPECT_EQ(little.spilled_bytes, 64);
  EXPECT_EQ(little.loaded_bytes, 64 * little.num_loads);
  EXPECT_GE(little.num_loads, 2);
}

TEST(Paging, ATileIsSpilledOnceHoweverOftenItIsPagedOut) {
  Tasks tasks(4);
  for (int64_t made = 0; made < 4; ++made) {
    tasks.compute({}, made);
  }
  for (int round = 0; round < 5; ++round) {
    for (int64_t used = 0; used < 4; ++used) {
      tasks.write(used);
    }
  }
  const Paging paging = forecast_paging(tasks.graph, 64);
  EXPECT_EQ(paging.num_spills, 3 + 1);  // the last one made is used at the end of the round
  EXPECT_EQ(paging.num_loads, 20);
}

}  // namespace
}  // namespace tessera::plan::residency_test
