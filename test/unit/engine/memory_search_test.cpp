#include "engine/memory_search.h"

#include <map>

#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/memory.h"

namespace tessera::engine {
namespace {

/// A plan of one task per tile that fills tiles of so many bytes, all needed until the end.
Lowered plan_of(int64_t num_tiles, int64_t tile_bytes) {
  plan::TaskGraph graph;
  for (int64_t number = 0; number < num_tiles; ++number) {
    plan::TileInfo tile;
    tile.relation = "X";
    tile.dtype = DType::u8;
    tile.box = {{0}, {tile_bytes}};
    tile.last_use = plan::TaskId(num_tiles - 1);
    graph.tiles.push_back(tile);
    plan::TaskInfo task;
    task.kind = plan::TaskKind::read_source;
    task.name = "X";
    task.origin.statement = "X";
    task.outputs = {{plan::TileId(number), tile.box, {0}}};
    graph.tasks.push_back(task);
  }
  graph.peak_bytes = num_tiles * tile_bytes;
  Lowered lowered;
  lowered.tasks = std::move(graph);
  return lowered;
}

/// The whole takes 16 MiB; a bound halves tiles until a call's fit, down to `finest`.
LowerWithin halving(int64_t finest) {
  return [finest](std::optional<int64_t> bound) -> std::optional<Lowered> {
    const int64_t whole = int64_t{16} << 20;
    int64_t tile = whole;
    while (bound && tile > *bound) {
      tile /= 2;
    }
    if (tile < finest) {
      return std::nullopt;
    }
    return plan_of(whole / tile, tile);
  };
}

int64_t need_under(const LowerWithin& lower, int64_t budget, int64_t workers) {
  return plan::smallest_budget(*lower_within_budget(lower, budget, workers).tasks).bytes;
}

TEST(MemorySearch, CutsNothingWhereAllFits) {
  EXPECT_EQ(need_under(halving(1), int64_t{16} << 20, 2), int64_t{16} << 20);
}

TEST(MemorySearch, LeavesRoomForEveryWorkerAndOneMore) {
  EXPECT_EQ(need_under(halving(1), int64_t{8} << 20, 1), int64_t{4} << 20);
  EXPECT_EQ(need_under(halving(1), int64_t{8} << 20, 3), int64_t{2} << 20);
  EXPECT_EQ(need_under(halving(1), int64_t{8} << 20, 4), int64_t{1} << 20);
}

TEST(MemorySearch, TakesTheFinestWhereNoneLeavesRoom) {
  const int64_t finest = int64_t{1} << 20;
  EXPECT_EQ(need_under(halving(finest), int64_t{2} << 20, 8), finest);
}

TEST(MemorySearch, SucceedsFromOneBudgetOn) {
  const int64_t finest = int64_t{1} << 20;
  EXPECT_EQ(need_under(halving(finest), finest, 2), finest);
  try {
    lower_within_budget(halving(finest), finest - 64, 2);
    FAIL() << "a budget below the smallest was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resource);
    EXPECT_NE(error.message().find(std::to_string(finest)), std::string::npos) << error.message();
  }
}

TEST(MemorySearch, LeavesPlansForSeveralSitesAlone) {
  const Lowered lowered = lower_within_budget(
      [](std::optional<int64_t>) -> std::optional<Lowered> { return Lowered(); }, 1, 2);
  EXPECT_FALSE(lowered.tasks.has_value());
}

}  // namespace
}  // namespace tessera::engine
