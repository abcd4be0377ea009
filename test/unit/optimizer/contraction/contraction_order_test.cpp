#include "optimizer/contraction/contraction_order.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "optimizer/contraction/exact_order.h"
#include "optimizer/contraction/greedy_order.h"
#include "unit/optimizer/contraction/drawn_network.h"

namespace tessera::optimizer::contraction_order_test {
namespace {

using Steps = std::vector<ContractionStep>;

Steps order_of(const TensorNetwork& network) {
  return contraction_order(network, {}).steps;
}

/// Operations of the best order of a chain of matrices (Cormen et al., "Matrix-chain
/// multiplication").
double best_of_chain(const TensorNetwork& chain) {
  const size_t num_matrices = chain.tensors.size();
  const auto extent = [&](size_t label) { return static_cast<double>(chain.extents[label]); };
  std::vector<std::vector<double>> best(num_matrices, std::vector<double>(num_matrices, 0));
  for (size_t length = 1; length < num_matrices; ++length) {
    for (size_t first = 0; first + length < num_matrices; ++first) {
      const size_t last = first + length;
      best[first][last] = std::numeric_limits<double>::infinity();
      for (size_t split = first; split < last; ++split) {
        best[first][last] = std::min(best[first][last],
                                     best[first][split] + best[split + 1][last] +
                                         2 * extent(first) * extent(split + 1) * extent(last + 1));
      }
    }
  }
  return best[0][num_matrices - 1];
}

/// Sites of two tensors each, joined to their neighbours and to each other: <psi|psi>.
TensorNetwork ladder(int32_t num_sites, int64_t bond) {
  TensorNetwork network;
  for (int32_t site = 0; site < num_sites; ++site) {
    const int32_t first = 3 * site;  // upper bond, lower bond, rung; then the next site's
    const bool is_last = site + 1 == num_sites;
    network.extents.insert(network.extents.end(), {bond, bond, 2});
    for (const int32_t side : {0, 1}) {
      LabelSet labels = {first + side, first + 2};
      if (!is_last) {
        labels.push_back(first + 3 + side);
      }
      network.tensors.push_back(labels);
    }
  }
  return network;
}

TEST(ContractionOrder, TakesTheCheapPairFirst) {
  EXPECT_EQ(order_of({{{0, 1}, {1, 2}, {2}}, {8, 9, 10}, {0}}), (Steps{{1, 2, {1}}, {0, 3, {0}}}));
}

TEST(ContractionOrder, KeepsALabelUntilItsLastTensor) {
  // Label 0 joins three tensors: it goes with the last of them.
  EXPECT_EQ(order_of({{{0, 1}, {0, 2}, {0, 3}}, {4, 2, 2, 2}, {1, 2, 3}}),
            (Steps{{0, 1, {0, 1, 2}}, {3, 2, {1, 2, 3}}}));
}

TEST(ContractionOrder, KeepsBatchLabels) {
  EXPECT_EQ(order_of({{{0, 1, 2}, {0, 2, 3}}, {5, 2, 3, 4}, {0, 1, 3}}),
            (Steps{{0, 1, {0, 1, 3}}}));
}

TEST(ContractionOrder, HasNoStepsForOneTensor) {
  EXPECT_TRUE(order_of({{{0, 1}}, {2, 2}, {0}}).empty());
}

TEST(ContractionOrder, IsNeverWorseThanThePlainGreedyOrder) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto num_tensors = static_cast<int32_t>(3 + seed % 40);
    const TensorNetwork network = drawn_network({num_tensors, 3 * num_tensors / 2, 6, seed});
    const Steps greedy = greedy_order(network, {}).steps;
    expect_valid(network, greedy);
    const ContractionOrder order = contraction_order(network, {});
    expect_valid(network, order.steps);
    EXPECT_LE(order.cost.operations, cost_of(network, greedy).operations) << "seed " << seed;
    EXPECT_EQ(order.cost.operations, cost_of(network, order.steps).operations);
    EXPECT_EQ(order.cost.largest, cost_of(network, order.steps).largest);
  }
}

TEST(ContractionOrder, IsTheSameEveryTime) {
  const TensorNetwork network = drawn_network({40, 70, 6, 7});
  EXPECT_EQ(order_of(network), order_of(network));
}

TEST(ContractionOrder, IsExactForTwelveTensors) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const TensorNetwork chain = drawn_chain(12, seed);
    const ContractionOrder order = contraction_order(chain, {});
    EXPECT_TRUE(order.is_exact);
    EXPECT_EQ(order.cost.operations, best_of_chain(chain));
  }
}

TEST(ContractionOrder, OrdersLongChainsNearlyAsWellAsPossible) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const TensorNetwork chain = drawn_chain(100, seed);
    const ContractionOrder order = contraction_order(chain, {});
    expect_valid(chain, order.steps);
    RecordProperty("ratio" + std::to_string(seed),
                   std::to_string(order.cost.operations / best_of_chain(chain)));
    EXPECT_LE(order.cost.operations, 1.01 * best_of_chain(chain)) << "seed " << seed;
  }
}

TEST(ContractionOrder, GoesAlongALadder) {
  // From one end to the other: one tensor of bond^2 elements is carried, and two products take it
  // over each site.
  const ContractionOrder order = contraction_order(ladder(60, 16), {});
  expect_valid(ladder(60, 16), order.steps);
  EXPECT_LE(order.cost.largest, 2 * 16 * 16);
  EXPECT_LE(order.cost.operations, 60.0 * 2 * (2 * 2 * 16 * 16 * 16));
}

TEST(ContractionOrder, KeepsABoundWhereItCan) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto num_tensors = static_cast<int32_t>(4 + seed % 20);
    const TensorNetwork network = drawn_network({num_tensors, 2 * num_tensors, 4, seed});
    const ContractionOrder free = contraction_order(network, {});
    const double bound = std::floor(free.cost.largest / 2);
    const ContractionOrder bounded = contraction_order(network, {bound});
    expect_valid(network, bounded.steps);
    EXPECT_EQ(bounded.fits, bounded.cost.largest <= bound);
    if (bounded.is_exact) {
      EXPECT_LE(bounded.cost.largest, free.cost.largest) << "seed " << seed;
    }
    if (bounded.fits && bounded.is_exact) {
      EXPECT_GE(bounded.cost.operations, free.cost.operations) << "seed " << seed;
    }
    if (!bounded.fits) {  // what it says would do, does
      EXPECT_TRUE(contraction_order(network, {bounded.cost.largest}).fits) << "seed " << seed;
    }
  }
}

TEST(ContractionOrder, TakesHundredsOfTensorsThatShareALabel) {
  TensorNetwork network{{}, {2}, {}};
  for (int32_t tensor = 0; tensor < 300; ++tensor) {
    network.extents.push_back(2);
    network.tensors.push_back({0, tensor + 1});
    network.out.push_back(tensor + 1);
  }
  expect_valid(network, order_of(network));
}

TEST(ContractionOrder, TakesManyScalarsAndLabelsOfExtentOne) {
  TensorNetwork network{{}, {1, 1}, {0}};
  for (int32_t tensor = 0; tensor < 30; ++tensor) {
    network.tensors.push_back(tensor % 3 == 0 ? LabelSet{} : LabelSet{tensor % 2});
  }
  const ContractionOrder order = contraction_order(network, {});
  expect_valid(network, order.steps);
  EXPECT_EQ(order.cost.operations, 29);
}

}  // namespace
}  // namespace tessera::optimizer::contraction_order_test
