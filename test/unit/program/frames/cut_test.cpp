#include "program/frames/cut.h"

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/frames/growth.h"

namespace tessera::program::frames::cut_test {

namespace {

using testing::ElementsAre;

constexpr OperatorKind kMap = OperatorKind::map;
constexpr OperatorKind kAggregate = OperatorKind::aggregate;

OperatorGraph graph_of(std::vector<std::vector<size_t>> reads, OperatorKind kind = kMap) {
  std::vector<Operator> operators;
  for (std::vector<size_t>& of_one : reads) {
    operators.push_back({kind, std::move(of_one)});
  }
  return OperatorGraph(std::move(operators));
}

double cost_of(const OperatorGraph& graph, const Beliefs& beliefs,
               const std::vector<Frame>& frames) {
  double cost = 0;
  for (const CutEdge& edge : cut_edges(graph, beliefs, frames)) {
    cost += edge.belief;
  }
  return cost;
}

/// A graph whose operators read up to three of those shortly before them.
OperatorGraph drawn_graph(std::mt19937& random, size_t num_operators) {
  std::vector<Operator> operators;
  for (size_t number = 0; number < num_operators; ++number) {
    std::set<size_t> reads;
    for (size_t read = random() % 4; number > 0 && read > 0; --read) {
      reads.insert(number - 1 - random() % std::min<size_t>(number, 6));
    }
    operators.push_back({kOperatorKinds[random() % 4], {reads.begin(), reads.end()}});
  }
  return OperatorGraph(std::move(operators));
}

TEST(Beliefs, AnOnlyReaderThatAggregatesOrSelectsTakesAll) {
  const OperatorGraph graph(std::vector<Operator>{
      {kMap, {}}, {kAggregate, {0}}, {OperatorKind::select, {1}}, {kMap, {2}}, {kMap, {2}}});
  PipeliningHistory history;
  const Beliefs beliefs(graph, history);
  EXPECT_EQ(beliefs.of(0, 1), 1);
  EXPECT_EQ(beliefs.of(1, 2), 1);
  EXPECT_EQ(beliefs.of(2, 3), 0.25);  // a half, which nothing speaks for or against, of one in two
}

TEST(Beliefs, OthersFollowFromWhatWasSeen) {
  const OperatorGraph graph(std::vector<Operator>{{kMap, {}}, {kMap, {0}}});
  PipeliningHistory history;
  history.note({kMap, kMap}, true);
  history.note({kMap, kMap}, true);
  EXPECT_EQ(Beliefs(graph, history).of(0, 1), 0.75);
  EXPECT_EQ(Beliefs::equal(graph).of(0, 1), 1);
}

TEST(Growth, TakesTheReaderThatAddsLeast) {
  // 0 is read by 1 and 2, for a quarter each; 2 by an aggregate, for 1: 1 adds -0.25, 2 adds 0.75.
  const OperatorGraph graph(
      std::vector<Operator>{{kMap, {}}, {kMap, {0}}, {kMap, {0}}, {kAggregate, {2}}});
  const PipeliningHistory history;
  const Beliefs beliefs(graph, history);
  const std::vector<bool> nothing(4, false);
  Growth growth(graph, beliefs, nothing);
  ASSERT_TRUE(growth.begin(0, 4));
  EXPECT_EQ(growth.cost(), 0.5);
  ASSERT_TRUE(growth.grow());
  EXPECT_THAT(growth.members(), ElementsAre(0, 1));
  EXPECT_EQ(growth.cost(), 0.25);
  ASSERT_TRUE(growth.grow());
  EXPECT_EQ(growth.cost(), 1);
  ASSERT_TRUE(growth.grow());
  EXPECT_EQ(growth.cost(), 0);
  EXPECT_FALSE(growth.grow());
}

TEST(Growth, BringsWhatAnOperatorNeeds) {
  const OperatorGraph graph = graph_of({{}, {}, {1}, {0, 2}});
  const PipeliningHistory history;
  const Beliefs beliefs(graph, history);
  const std::vector<bool> nothing(4, false);
  Growth growth(graph, beliefs, nothing);
  ASSERT_TRUE(growth.begin(0, 3));
  EXPECT_FALSE(growth.grow());  // 3 needs 2, which needs 1
  ASSERT_TRUE(growth.begin(0, 4));
  ASSERT_TRUE(growth.grow());
  EXPECT_EQ(growth.members().size(), 4);
  EXPECT_FALSE(growth.begin(3, 3));
}

TEST(Cut, WhatFitsIsOneFrame) {
  const OperatorGraph graph = graph_of({{}, {0}, {1}});
  const PipeliningHistory history;
  EXPECT_THAT(cut_in_frames(graph, Beliefs(graph, history), Cutter::gqap, {1, 3}),
              ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_TRUE(
      cut_in_frames(OperatorGraph({}), Beliefs(graph, history), Cutter::gqap, {1, 3}).empty());
}

TEST(Cut, GoesWhereALaterStartFindsLessToCut) {
  // Two chains, {0,1,2} and {3,4,5}, and between them a tensor that three read.
  const OperatorGraph graph(std::vector<Operator>{{kMap, {}},
                                                  {kAggregate, {0}},
                                                  {kAggregate, {1}},
                                                  {kMap, {2}},
                                                  {kAggregate, {3}},
                                                  {kAggregate, {4}},
                                                  {kMap, {2}},
                                                  {kMap, {2}}});
  const PipeliningHistory history;
  const Beliefs beliefs(graph, history);
  const std::vector<Frame> frames = cut_in_frames(graph, beliefs, Cutter::gqap, {2, 5});
  EXPECT_THAT(frames[0],
              ElementsAre(0, 1, 2, 6, 7));  // leaves a sixth; with 6 alone it would leave two
  EXPECT_DOUBLE_EQ(cost_of(graph, beliefs, frames), 0.5 / 3);
}

TEST(Cut, FramesOfEveryCutterRunInTheirOrderAndHoldEachOperatorOnce) {
  std::mt19937 random(7);
  const PipeliningHistory history;
  for (int drawn = 0; drawn < 300; ++drawn) {
    const OperatorGraph graph = drawn_graph(random, 1 + random() % 60);
    const FrameSize size{1 + random() % 6, 6 + random() % 10};
    for (const Cutter cutter : {Cutter::gqap, Cutter::greedy, Cutter::min_cut, Cutter::none}) {
      std::set<size_t> done;
      for (const Frame& frame : cut_in_frames(graph, Beliefs(graph, history), cutter, size)) {
        ASSERT_FALSE(frame.empty());
        if (cutter == Cutter::gqap || cutter == Cutter::min_cut) {
          ASSERT_LE(frame.size(), size.max);
        }
        for (const size_t member : frame) {
          for (const size_t read : graph.operators[member].reads) {
            ASSERT_TRUE(done.count(read) != 0) << "operator " << member << " reads " << read;
          }
          ASSERT_TRUE(done.insert(member).second);
        }
      }
      ASSERT_EQ(done.size(), graph.size());
    }
  }
}

/// The least that cutting a prefix-closed first frame of an allowed size can cost.
double least_cost_of_first_frame(const OperatorGraph& graph, const Beliefs& beliefs,
                                 FrameSize size) {
  double least = std::numeric_limits<double>::infinity();
  for (uint32_t set = 1; set < (uint32_t{1} << graph.size()); ++set) {
    const auto has = [&](size_t number) { return (set >> number & 1U) != 0; };
    size_t count = 0;
    bool is_closed = true;
    double cost = 0;
    for (size_t number = 0; number < graph.size(); ++number) {
      count += has(number) ? 1 : 0;
      for (const size_t read : graph.operators[number].reads) {
        is_closed = is_closed && (!has(number) || has(read));
        cost += has(read) && !has(number) ? beliefs.of(read, number) : 0;
      }
    }
    if (is_closed && count >= size.min && count <= size.max) {
      least = std::min(least, cost);
    }
  }
  return least;
}

TEST(Cut, TheFirstFrameIsMostlyAsCheapAsAny) {
  std::mt19937 random(11);
  const PipeliningHistory history;
  int num_equal = 0;
  constexpr int kDrawn = 200;
  for (int drawn = 0; drawn < kDrawn; ++drawn) {
    const OperatorGraph graph = drawn_graph(random, 12);
    const FrameSize size{3, 6};
    const Beliefs beliefs(graph, history);
    const std::vector<Frame> frames = cut_in_frames(graph, beliefs, Cutter::gqap, size);
    double first = 0;
    for (const CutEdge& edge : cut_edges(graph, beliefs, frames)) {
      const bool leaves_first =
          std::binary_search(frames[0].begin(), frames[0].end(), edge.producer);
      first += leaves_first ? edge.belief : 0;
    }
    const double least = least_cost_of_first_frame(graph, beliefs, size);
    EXPECT_GE(first, least - 1e-9);
    num_equal += first < least + 1e-9 ? 1 : 0;
  }
  EXPECT_GE(num_equal, kDrawn * 2 / 3);
}

TEST(Cut, LargeGraphsOfEveryShapeAreCut) {
  // One tensor that ten thousand read, and ten thousand that nothing pairs.
  std::vector<std::vector<size_t>> wide(10'000);
  for (size_t number = 1; number < wide.size(); ++number) {
    wide[number] = {0};
  }
  const PipeliningHistory history;
  for (const OperatorGraph& graph :
       {graph_of(wide), graph_of(std::vector<std::vector<size_t>>(10'000))}) {
    EXPECT_GE(cut_in_frames(graph, Beliefs(graph, history), Cutter::gqap, {128, 256}).size(), 40);
  }
}

TEST(Cutters, HaveNames) {
  for (const Cutter cutter : {Cutter::gqap, Cutter::greedy, Cutter::min_cut, Cutter::none}) {
    EXPECT_EQ(cutter_of(name_of(cutter)), cutter);
  }
  EXPECT_EQ(cutter_of("mincut"), std::nullopt);
}

}  // namespace

}  // namespace tessera::program::frames::cut_test
