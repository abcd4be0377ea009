#include "optimizer/contraction/annealed_order.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "optimizer/contraction/contraction_order.h"
#include "optimizer/contraction/exact_order.h"
#include "optimizer/contraction/greedy_order.h"
#include "unit/optimizer/contraction/drawn_network.h"

namespace tessera::optimizer::annealed_order_test {
namespace {

using Steps = std::vector<ContractionStep>;

constexpr double kNoBound = std::numeric_limits<double>::infinity();

TensorNetwork drawn(int32_t num_tensors, uint64_t seed) {
  return drawn_network({num_tensors, 3 * num_tensors / 2, 6, seed});
}

/// Tensors on the points of a cube, each joined to its neighbours by labels of extent 2.
TensorNetwork cube(int32_t side) {
  TensorNetwork network;
  network.tensors.resize(static_cast<size_t>(side * side * side));
  for (const int32_t stride : {1, side, side * side}) {
    for (int32_t point = 0; point < side * side * side; ++point) {
      if (point / stride % side + 1 < side) {
        const auto label = static_cast<int32_t>(network.extents.size());
        network.extents.push_back(2);
        network.tensors[static_cast<size_t>(point)].push_back(label);
        network.tensors[static_cast<size_t>(point + stride)].push_back(label);
      }
    }
  }
  return network;
}

TEST(AnnealedOrder, FindsTheBestOrderOfSmallNetworks) {
  for (uint64_t seed = 0; seed < 80; ++seed) {
    const TensorNetwork network = drawn(static_cast<int32_t>(3 + seed % 8), seed);
    const Steps annealed =
        annealed_order(network, greedy_order(network, {}).steps, kNoBound, 20'000);
    expect_valid(network, annealed);
    const OrderCost best = cost_of(network, exact_order(network, kNoBound));
    EXPECT_EQ(cost_of(network, annealed).operations, best.operations) << "seed " << seed;
  }
}

TEST(AnnealedOrder, FindsTheBestOrderWithinABound) {
  for (uint64_t seed = 0; seed < 80; ++seed) {
    const TensorNetwork network = drawn(static_cast<int32_t>(4 + seed % 7), seed);
    const double free = cost_of(network, exact_order(network, kNoBound)).largest;
    const double bound = std::floor(free / 2);
    const OrderCost best = cost_of(network, exact_order(network, bound));
    const Steps annealed = annealed_order(network, greedy_order(network, {}).steps, bound, 20'000);
    expect_valid(network, annealed);
    const OrderCost found = cost_of(network, annealed);
    if (best.largest <= bound) {
      EXPECT_LE(found.largest, bound) << "seed " << seed;
      EXPECT_EQ(found.operations, best.operations) << "seed " << seed;
    } else {
      EXPECT_EQ(found.largest, best.largest) << "seed " << seed;
    }
  }
}

TEST(AnnealedOrder, IsNeverWorse) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const TensorNetwork network = drawn(static_cast<int32_t>(13 + 2 * seed), seed);
    const Steps greedy = greedy_order(network, {}).steps;
    const OrderCost before = cost_of(network, greedy);
    for (const double bound : {kNoBound, std::floor(before.largest / 3)}) {
      for (const int64_t moves : {0, 10, 10'000}) {
        const Steps annealed = annealed_order(network, greedy, bound, moves);
        expect_valid(network, annealed);
        EXPECT_FALSE(is_better(before, cost_of(network, annealed), bound)) << "seed " << seed;
      }
    }
  }
}

TEST(AnnealedOrder, IsTheSameEveryTime) {
  const TensorNetwork network = drawn(40, 7);
  const Steps greedy = greedy_order(network, {}).steps;
  EXPECT_EQ(annealed_order(network, greedy, kNoBound, 50'000),
            annealed_order(network, greedy, kNoBound, 50'000));
}

TEST(AnnealedOrder, TakesNetworksWithoutSharedLabels) {
  TensorNetwork network{{}, {1, 1}, {0}};
  for (int32_t tensor = 0; tensor < 30; ++tensor) {
    network.tensors.push_back(tensor % 3 == 0 ? LabelSet{} : LabelSet{tensor % 2});
  }
  const Steps annealed = annealed_order(network, greedy_order(network, {}).steps, kNoBound, 1000);
  expect_valid(network, annealed);
  EXPECT_EQ(cost_of(network, annealed).operations, 29);
}

TEST(AnnealedOrder, IsWhatEffortAddsToAnOrder) {
  const TensorNetwork network = cube(4);
  const ContractionOrder without = contraction_order(network, {});
  const ContractionOrder with = contraction_order(network, {kNoBound, 0.05});
  expect_valid(network, with.steps);
  EXPECT_LT(with.cost.operations, 0.985 * without.cost.operations);
  EXPECT_EQ(with.cost.operations, cost_of(network, with.steps).operations);
}

TEST(AnnealedOrder, TakesAFractionOfTheOperationsOfLargeNetworks) {
  const TensorNetwork network = cube(5);
  const ContractionOrder without = contraction_order(network, {});
  const ContractionOrder with = contraction_order(network, {kNoBound, 0.1});
  EXPECT_LT(with.cost.operations, without.cost.operations / 4);
}

TEST(NumMoves, FollowsSecondsAndTheNumberOfLabels) {
  const int64_t of_few = num_moves(cube(3), 1);
  EXPECT_NEAR(static_cast<double>(num_moves(cube(3), 2)), 2.0 * static_cast<double>(of_few), 1);
  EXPECT_GT(of_few, num_moves(cube(6), 1));
  EXPECT_GT(num_moves(cube(6), 1), 1'000'000);
  EXPECT_EQ(num_moves(cube(3), 0), 0);
}

TEST(NumMoves, IsNoneWhereLabelSetsWouldTakeTooMuchMemory) {
  TensorNetwork chain{{}, {2}, {}};
  for (int32_t tensor = 0; tensor < 25'000; ++tensor) {
    chain.extents.push_back(2);
    chain.tensors.push_back({tensor, tensor + 1});
  }
  EXPECT_EQ(num_moves(chain, 10), 0);
}

}  // namespace
}  // namespace tessera::optimizer::annealed_order_test
