#include <cmath>

#include <gmock/gmock.h>

#include "engine/checkpoints/cuts.h"

namespace tessera::engine::checkpoint_cuts_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A chain: every vertex is read by the next one, and takes these seconds to make and to keep.
std::vector<VertexCost> chain(const std::vector<std::pair<double, double>>& seconds) {
  std::vector<VertexCost> vertices;
  for (size_t number = 0; number < seconds.size(); ++number) {
    vertices.push_back({seconds[number].first, seconds[number].second, number + 1});
  }
  vertices.back().read_until = kUntilTheEnd;
  return vertices;
}

TEST(CheckpointCuts, LittleWorkIsNotCut) {
  EXPECT_THAT(cuts_of(chain({{20, 0}, {20, 0}, {20, 0}}), {60, 1}), IsEmpty());
  EXPECT_THAT(cuts_of({}, {60, 1}), IsEmpty());
}

TEST(CheckpointCuts, NoMoreWorkThanAskedForLiesBetweenTwo) {
  const auto vertices = chain({{20, 1}, {20, 1}, {20, 1}, {20, 1}, {20, 1}});
  EXPECT_THAT(cuts_of(vertices, {20, 1}), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(cuts_of(vertices, {40, 1}).size(), 2);
  EXPECT_EQ(cuts_of(vertices, {99, 1}).size(), 1);
}

TEST(CheckpointCuts, TheCheapestPlaceIsTaken) {
  EXPECT_THAT(cuts_of(chain({{20, 5}, {20, 0.5}, {20, 5}, {20, 5}}), {60, 1}), ElementsAre(2));
}

TEST(CheckpointCuts, WhatCostsMoreToKeepThanToMakeIsNotKept) {
  // Behind the second vertex a part would be short enough, but keeping it takes longer than making
  // it; behind the third it saves both.
  const auto vertices = chain({{1, 0.1}, {20, 21.5}, {20, 21.5}, {20, 1}});
  EXPECT_THAT(cuts_of(vertices, {30, 1}), ElementsAre(3));
  EXPECT_THAT(cuts_of(vertices, {30, 2}), ElementsAre(2, 3));
}

TEST(CheckpointCuts, AShareOfTheWorkIsAllThatKeepingTakes) {
  const auto vertices = chain({{20, 1.5}, {20, 1.5}, {20, 1.5}, {20, 1.5}});
  EXPECT_THAT(cuts_of(vertices, {20, 1}), ElementsAre(1, 2, 3));
  EXPECT_THAT(cuts_of(vertices, {20, 0.05}), ElementsAre(2));
}

TEST(CheckpointCuts, WhatIsDearIsKeptWhereMuchWorkWouldBeLost) {
  const auto vertices = chain({{20, 10}, {20, 10}, {20, 10}, {20, 10}});
  EXPECT_THAT(cuts_of(vertices, {20, 0.05}), IsEmpty());
  EXPECT_THAT(cuts_of(vertices, {20, 0.05, 40}), ElementsAre(2));
}

TEST(CheckpointCuts, ResultsAreKeptWhereThatIsWantedAndWorthIt) {
  const auto with_results = [](double price) {
    CutRules rules{60, price};
    rules.keeps_results = true;
    return rules;
  };
  const auto vertices = chain({{20, 1}, {20, 1}, {20, 3}});
  EXPECT_THAT(cuts_of(vertices, with_results(1)), ElementsAre(3));
  EXPECT_THAT(cuts_of(vertices, with_results(0.01)), IsEmpty());
  EXPECT_THAT(cuts_of(chain({{9, 0}, {5, 0}}), with_results(1)), IsEmpty());  // little work
  const auto longer = chain({{50, 1}, {50, 1}, {50, 1}});
  EXPECT_THAT(cuts_of(longer, with_results(1)), ElementsAre(1, 2, 3));
  EXPECT_THAT(cuts_of({}, with_results(1)), IsEmpty());
}

TEST(CheckpointCuts, NoPartIsShort) {
  EXPECT_THAT(cuts_of(chain({{5, 0}, {500, 0}, {5, 0}}), {30, 1}), IsEmpty());
  EXPECT_THAT(cuts_of(chain({{15, 0}, {500, 0}, {15, 0}}), {30, 1}), ElementsAre(1, 2));
}

TEST(CheckpointCuts, ALongStatementIsNotDividedButWhatFollowsIt) {
  EXPECT_THAT(cuts_of(chain({{500, 1}, {20, 1}, {20, 1}}), {30, 1}), ElementsAre(1, 2));
}

TEST(CheckpointCuts, WhatIsMadeTogetherIsNotCut) {
  auto vertices = chain({{20, 1}, {20, 5}, {20, 1}, {20, 1}});
  vertices[1].is_joined = true;
  vertices[3].is_joined = true;
  EXPECT_THAT(cuts_of(vertices, {20, 1}), ElementsAre(2));
}

TEST(CheckpointCuts, ATensorIsWrittenAtTheFirstCutBehindItOnly) {
  // The first is read by all: written once, it makes no later cut dearer.
  auto vertices = chain({{20, 10}, {20, 1}, {20, 1}, {20, 1}});
  vertices[0].read_until = kUntilTheEnd;
  EXPECT_THAT(cuts_of(vertices, {20, 0.5}), ElementsAre(1, 2, 3));
}

TEST(CheckpointCuts, OfCutsThatCostTheSameThereAreTheFewest) {
  EXPECT_THAT(cuts_of(chain({{0, 0}, {0, 0}, {20, 0}, {0, 0}, {20, 0}}), {20, 1}).size(), 1);
}

/// The least work beyond what may lie between two cuts, squared, and the least to keep, of all
/// cuts.
std::pair<double, double> best_of_all(const std::vector<VertexCost>& vertices,
                                      const CutRules& rules) {
  std::pair<double, double> best(1e9, 0);
  for (uint32_t mask = 0; mask < (1U << (vertices.size() - 1)); ++mask) {
    std::pair<double, double> sum;
    bool is_allowed = true;
    size_t begin = 0;
    for (size_t end = 1; end <= vertices.size(); ++end) {
      if (end < vertices.size() && ((mask >> (end - 1)) & 1U) == 0) {
        continue;
      }
      double work = 0;
      double kept = 0;
      for (size_t vertex = begin; vertex < end; ++vertex) {
        work += vertices[vertex].seconds;
        const bool is_kept = end < vertices.size() && vertices[vertex].read_until >= end;
        kept += is_kept ? vertices[vertex].kept_seconds : 0;
      }
      const bool is_whole = begin == 0 && end == vertices.size();
      const bool is_short = work < rules.most_seconds / 4;
      is_allowed = is_allowed && (is_whole || (!is_short && kept <= rules.most_price * work));
      sum.first += std::pow(std::max(0.0, work - rules.most_seconds), 2);
      sum.second += kept;
      begin = end;
    }
    best = is_allowed ? std::min(best, sum) : best;
  }
  return best;
}

/// The same of given cuts.
std::pair<double, double> cost_of(const std::vector<VertexCost>& vertices, const CutRules& rules,
                                  std::vector<size_t> ends) {
  std::pair<double, double> sum;
  size_t begin = 0;
  ends.push_back(vertices.size());
  for (const size_t end : ends) {
    double work = 0;
    for (size_t vertex = begin; vertex < end; ++vertex) {
      work += vertices[vertex].seconds;
      const bool is_kept = end < vertices.size() && vertices[vertex].read_until >= end;
      sum.second += is_kept ? vertices[vertex].kept_seconds : 0;
    }
    sum.first += std::pow(std::max(0.0, work - rules.most_seconds), 2);
    begin = end;
  }
  return sum;
}

TEST(CheckpointCuts, AreTheBestOfAllThereAre) {
  uint32_t state = 1;
  const auto drawn = [&](uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % below;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<VertexCost> vertices(2 + drawn(8));
    for (size_t number = 0; number < vertices.size(); ++number) {
      const size_t behind = number + 1 + drawn(4);  // whole numbers, so that sums are exact
      vertices[number] = {static_cast<double>(drawn(30)), static_cast<double>(drawn(8)),
                          behind >= vertices.size() ? kUntilTheEnd : behind};
    }
    const CutRules rules{static_cast<double>(10 + drawn(40)), drawn(2) == 0 ? 1.0 : 0.25};
    EXPECT_EQ(cost_of(vertices, rules, cuts_of(vertices, rules)), best_of_all(vertices, rules))
        << "round " << round;
  }
}

}  // namespace
}  // namespace tessera::engine::checkpoint_cuts_test
