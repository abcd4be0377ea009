#include "plan/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/memory.h"
#include "unit/plan/plain_tasks.h"

namespace tessera::plan::order_test {
namespace {

using testing::ElementsAre;

constexpr int64_t kTile = 64;  // bytes

/// The tiles that every task writes, or reads where it is a sink.
std::vector<int64_t> tiles_in_order(const TaskGraph& graph) {
  std::vector<int64_t> tiles;
  for (const TaskInfo& task : graph.tasks) {
    const Argument& argument = task.outputs.empty() ? task.inputs[0] : task.outputs[0];
    tiles.push_back(graph.tiles[argument.tile.index()].key[0]);
  }
  return tiles;
}

TEST(Order, MakesATileShortlyBeforeItIsUsedAndNothingThatNoSinkNeeds) {
  Tasks tasks(5);
  tasks.read(0);
  tasks.read(1);
  tasks.read(2);
  tasks.compute({0}, 3);
  tasks.compute({2}, 4);
  tasks.write(3);
  tasks.write(4);
  const TaskGraph graph = ordered(std::move(tasks.graph));
  EXPECT_THAT(tiles_in_order(graph), ElementsAre(0, 3, 3, 2, 4, 4));
  EXPECT_EQ(graph.proof().peak.at_most, 2 * kTile);
}

/// Every one of `num_results` is the sum of something of all intermediates, each made of a source:
/// while one is made, its source is held too.
TaskGraph product_of(int64_t num_intermediates, int64_t num_results) {
  Tasks tasks(2 * num_intermediates + num_results);
  for (int64_t number = 0; number < num_intermediates; ++number) {
    tasks.read(number);
    tasks.compute({number}, num_intermediates + number);
  }
  for (int64_t result = 0; result < num_results; ++result) {
    for (int64_t number = 0; number < num_intermediates; ++number) {
      tasks.compute({num_intermediates + number}, 2 * num_intermediates + result);
    }
    tasks.write(2 * num_intermediates + result);
  }
  return ordered(std::move(tasks.graph));
}

TEST(Order, OpensAllResultsWhereTheyAreFewerThanIntermediates) {
  EXPECT_EQ(product_of(8, 2).proof().peak.at_most, (2 + 2) * kTile);
  EXPECT_EQ(product_of(8, 7).proof().peak.at_most, (7 + 2) * kTile);
}

TEST(Order, KeepsTheIntermediatesWhereTheyAreFewerThanResults) {
  EXPECT_EQ(product_of(2, 8).proof().peak.at_most, (2 + 2) * kTile);
}

TEST(Order, ReadsASourceThatTheEarlyUseOfATileNeeds) {
  Tasks tasks(10);
  // Tiles 0 to 2 are sources, 3 to 5 made of them, 6 to 8 weights, 9 the sum of products.
  for (int64_t number = 0; number < 3; ++number) {
    tasks.read(number);
    tasks.compute({number}, 3 + number);
    tasks.read(6 + number);
  }
  for (int64_t number = 0; number < 3; ++number) {
    tasks.compute({3 + number, 6 + number}, 9);
  }
  tasks.write(9);
  const TaskGraph graph = ordered(std::move(tasks.graph));
  EXPECT_EQ(graph.tasks.size(), 13U);
  EXPECT_EQ(graph.proof().peak.at_most, 3 * kTile);
}

TEST(Order, SumsThatReadTheSameSourceGrowSideBySide) {
  constexpr int64_t kTerms = 5;
  // Tiles 0 to 4 are read for both sums, 5 to 9 for tile 15, 10 to 14 for tile 16.
  Tasks tasks(17);
  for (int64_t term = 0; term < 3 * kTerms; ++term) {
    tasks.read(term);
  }
  for (const int64_t sum : {0, 1}) {
    for (int64_t term = 0; term < kTerms; ++term) {
      tasks.compute({term, (1 + sum) * kTerms + term}, 15 + sum);
    }
    tasks.write(15 + sum);
  }
  const TaskGraph graph = ordered(std::move(tasks.graph));
  EXPECT_EQ(graph.proof().peak.at_most, (2 + 2) * kTile);
}

TEST(Order, PartsOfASumComeInTheOrderOfTheirSource) {
  // Tiles 0 to 5 are read and added to tiles 6 and 7 in turn, which are merged.
  Tasks tasks(8);
  for (int64_t term = 0; term < 6; ++term) {
    tasks.read(term);
    tasks.compute({term}, 6 + term % 2);
  }
  tasks.compute({6, 7}, 6);
  tasks.write(6);
  EXPECT_THAT(tiles_in_order(ordered(std::move(tasks.graph))),
              ElementsAre(0, 6, 1, 7, 2, 6, 3, 7, 4, 6, 5, 7, 6, 6));
}

TEST(Order, WritesATileAgainOnlyAfterItsReaders) {
  Tasks tasks(4);
  tasks.read(0);
  tasks.compute({0}, 1);
  tasks.compute({1}, 2);  // reads what the next one writes over
  tasks.compute({0}, 1);
  tasks.compute({1, 2}, 3);
  tasks.write(3);
  const TaskGraph graph = ordered(std::move(tasks.graph));
  EXPECT_THAT(tiles_in_order(graph), ElementsAre(0, 1, 2, 1, 3, 3));
}

}  // namespace
}  // namespace tessera::plan::order_test
