#include "engine/memory_search.h"

#include <cmath>

#include <gtest/gtest.h>

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
    task.origin = Origin{"X", "", 0, 0};
    task.outputs = {{plan::TileId(number), nullptr}};
    graph.tasks.push_back(task);
  }
  graph.peak_bytes = num_tiles * tile_bytes;
  graph.smallest_budget = tile_bytes;
  Lowered lowered;
  lowered.tasks = std::move(graph);
  return lowered;
}

/// The whole takes 16 MiB; a bound halves tiles until a call's fit, down to `finest`.
LowerWithin halving(int64_t finest) {
  return [finest](const MemoryDemand& demand) -> std::optional<Lowered> {
    const int64_t whole = int64_t{16} << 20;
    int64_t tile = whole;
    while (demand.most_call_bytes && tile > *demand.most_call_bytes) {
      tile /= 2;
    }
    if (tile < finest) {
      return std::nullopt;
    }
    return plan_of(whole / tile, tile);
  };
}

std::vector<std::vector<optimizer::Slice>> no_ways(int64_t) {
  return {};
}

int64_t need_under(const LowerWithin& lower, int64_t budget, int64_t workers) {
  return lower_within_budget(lower, no_ways, budget, workers).tasks->smallest_budget;
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

TEST(MemorySearch, HasOneSmallestBudget) {
  const int64_t finest = int64_t{1} << 20;
  EXPECT_EQ(need_under(halving(finest), finest, 2), finest);
  EXPECT_EQ(need_under(halving(finest), finest - 64, 2), finest);
  EXPECT_EQ(need_under(halving(finest), 1, 2), finest);
}

TEST(MemorySearch, LeavesPlansForSeveralSitesAlone) {
  const Lowered lowered = lower_within_budget(
      [](const MemoryDemand&) -> std::optional<Lowered> { return Lowered(); }, no_ways, 1, 2);
  EXPECT_FALSE(lowered.tasks.has_value());
}

/// Four tiles of 1 MiB are made, then written; with slices each is written when it is made, at the
/// cost of more seconds.
std::optional<Lowered> makes_four(const MemoryDemand& demand, double seconds_with_slices) {
  constexpr int64_t kTile = int64_t{1} << 20;
  plan::TaskGraph graph;
  const auto add = [&](plan::TaskKind kind, int64_t tile) {
    plan::TaskInfo task;
    task.kind = kind;
    task.seconds = demand.slices.empty() ? 1e-6 : seconds_with_slices;
    (kind == plan::TaskKind::compute ? task.outputs : task.inputs)
        .push_back({plan::TileId(tile), nullptr});
    graph.tasks.push_back(std::move(task));
  };
  for (int64_t tile = 0; tile < 4; ++tile) {
    graph.tiles.push_back({"T", {tile}, 0, DType::u8, {{0}, {kTile}}, {}});
    add(plan::TaskKind::compute, tile);
    if (!demand.slices.empty()) {
      add(plan::TaskKind::write_sink, tile);
    }
  }
  for (int64_t tile = 0; tile < 4 && demand.slices.empty(); ++tile) {
    add(plan::TaskKind::write_sink, tile);
  }
  graph.peak_bytes = plan::serial_peak(graph).bytes;
  graph.smallest_budget = plan::smallest_budget(graph).bytes;
  Lowered lowered;
  lowered.partition.slices = demand.slices;
  lowered.tasks = std::move(graph);
  return lowered;
}

std::vector<std::vector<optimizer::Slice>> one_way(int64_t) {
  return {{optimizer::Slice()}};
}

Lowered four_under(int64_t budget, double seconds_with_slices) {
  return lower_within_budget(
      [&](const MemoryDemand& demand) { return makes_four(demand, seconds_with_slices); }, one_way,
      budget, 1);
}

TEST(MemorySearch, SlicesWhereThatEndsSoonerThanSpilling) {
  EXPECT_EQ(four_under(int64_t{2} << 20, 1e-6).partition.slices.size(), 1U);
  EXPECT_TRUE(four_under(int64_t{2} << 20, 1).partition.slices.empty());
}

TEST(MemorySearch, DoesNotSliceWhatFits) {
  EXPECT_TRUE(four_under(int64_t{4} << 20, 0).partition.slices.empty());
}

TEST(MemorySearch, ExpectsMorePagingOfMoreWorkers) {
  const plan::TaskGraph graph = *makes_four({}, 0)->tasks;
  const int64_t tile = int64_t{1} << 20;
  EXPECT_EQ(expected_paging(graph, 4 * tile, 1).num_spills, 0);
  EXPECT_GT(expected_paging(graph, 4 * tile, 2).num_spills, 0);
  EXPECT_EQ(expected_paging(graph, 5 * tile, 2).num_spills, 0);
}

TEST(MemorySearch, NeverEndsWhatDoesNotFit) {
  const plan::TaskGraph graph = *makes_four({}, 0)->tasks;
  EXPECT_TRUE(std::isinf(expected_seconds(graph, (int64_t{1} << 20) - 64, 1)));
  EXPECT_LT(expected_seconds(graph, int64_t{4} << 20, 1),
            expected_seconds(graph, int64_t{2} << 20, 1));
}

}  // namespace
}  // namespace tessera::engine
