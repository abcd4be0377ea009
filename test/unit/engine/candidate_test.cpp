#include "engine/candidates/candidate.h"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "plan/memory.h"

namespace tessera::engine::candidate_test {
namespace {

constexpr int64_t kTile = int64_t{1} << 20;

/// Four tiles of 1 MiB are made, then written.
plan::TaskGraph four_tiles() {
  plan::TaskGraph graph;
  const auto add = [&](plan::TaskKind kind, int64_t tile) {
    plan::TaskInfo task;
    task.kind = kind;
    task.seconds = 1e-6;
    (kind == plan::TaskKind::compute ? task.outputs : task.inputs)
        .push_back({plan::TileId(tile), nullptr});
    graph.tasks.push_back(std::move(task));
  };
  for (int64_t tile = 0; tile < 4; ++tile) {
    graph.tiles.push_back({"T", {tile}, 0, DenseTile{DType::u8, {{0}, {kTile}}}, {}});
    add(plan::TaskKind::compute, tile);
  }
  for (int64_t tile = 0; tile < 4; ++tile) {
    add(plan::TaskKind::write_sink, tile);
  }
  graph.spaces[0].proof.peak = plan::serial_peak(graph, plan::kFirstSpace).bytes;
  graph.spaces[0].proof.smallest_budget = plan::smallest_budget(graph, plan::kFirstSpace).bytes;
  return graph;
}

TEST(Candidate, ExpectsMorePagingOfMoreWorkers) {
  const plan::TaskGraph graph = four_tiles();
  EXPECT_EQ(expected_paging(graph, {4 * kTile, 1}).num_spills, 0);
  EXPECT_GT(expected_paging(graph, {4 * kTile, 2}).num_spills, 0);
  EXPECT_EQ(expected_paging(graph, {5 * kTile, 2}).num_spills, 0);
}

TEST(Candidate, OfThoseThatEndAsSoonTheOneThatMovesLessIsBetter) {
  const auto plan = [](double seconds, double moved_bytes) {
    Figures figures;
    figures.seconds = seconds;
    figures.moved_bytes = moved_bytes;
    return Outcome(figures);
  };
  EXPECT_TRUE(is_better(plan(1.01, 10), plan(1, 20)));
  EXPECT_FALSE(is_better(plan(1, 20), plan(1.01, 10)));
  EXPECT_TRUE(is_better(plan(1, 20), plan(1.03, 10)));
  EXPECT_TRUE(is_better(plan(1, 10), plan(1.01, 10)));
  EXPECT_TRUE(is_better(plan(9, 20), plan(INFINITY, 10)));
  EXPECT_FALSE(is_better(plan(INFINITY, 10), plan(INFINITY, 20))) << "they need as much memory";
}

TEST(Candidate, TheBestOfManyEndsAsSoonAsTheSoonest) {
  const auto plan = [](double seconds, double moved_bytes) {
    Figures figures;
    figures.seconds = seconds;
    figures.moved_bytes = moved_bytes;
    return Outcome(figures);
  };
  EXPECT_EQ(best_of({plan(1, 30), plan(1.015, 20), plan(1.03, 10)}), 1)
      << "the last ends as soon as the second, but later than the first";
  EXPECT_EQ(best_of({plan(1.03, 10), plan(1.015, 20), plan(1, 30)}), 1) << "in any order";
  EXPECT_EQ(best_of({plan(2, 5), plan(1, 5), plan(1, 5), plan(INFINITY, 0)}), 1);
  EXPECT_EQ(best_of({PlacedFigures{5, 5}, PlacedFigures{4, 4}, PlacedFigures{8, 0}}), 1);
}

TEST(Candidate, NeverEndsWhatDoesNotFit) {
  const plan::TaskGraph graph = four_tiles();
  EXPECT_TRUE(std::isinf(figures_of(graph, 0, {kTile - 64, 1}, Links()).seconds));
  EXPECT_LT(figures_of(graph, 0, {4 * kTile, 1}, Links()).seconds,
            figures_of(graph, 0, {2 * kTile, 1}, Links()).seconds);
}

TEST(Candidate, RunsWellWithRoomForATaskOfEachWorkerAndOneMore) {
  const Figures figures = figures_of(four_tiles(), 0, {4 * kTile, 1}, Links());
  EXPECT_TRUE(runs_well(figures, {4 * kTile, 8}));
  EXPECT_TRUE(runs_well(figures, {2 * kTile, 1}));
  EXPECT_FALSE(runs_well(figures, {2 * kTile, 2}));
}

TEST(Candidate, RunsWellWithRoomForHalfASmallTaskMore) {
  Figures figures;
  figures.plan_bytes = 1000;
  for (const auto& [task, more] : {std::pair{int64_t{200} << 10, int64_t{100} << 10},
                                   {int64_t{600} << 10, int64_t{600} << 10}}) {
    figures.smallest_budget = figures.plan_bytes + task;
    figures.peak_bytes = 100 * task;
    const int64_t enough = figures.plan_bytes + 2 * task + more;
    EXPECT_TRUE(runs_well(figures, {enough, 2})) << task;
    EXPECT_FALSE(runs_well(figures, {enough - 1, 2})) << task;
  }
}

}  // namespace
}  // namespace tessera::engine::candidate_test
