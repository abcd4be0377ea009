#include "optimizer/contraction_order.h"

#include <gtest/gtest.h>

namespace tessera::optimizer {
namespace {

using Steps = std::vector<ContractionStep>;

TEST(ContractionOrder, TakesTheCheapPairFirst) {
  EXPECT_EQ(contraction_order({{{0, 1}, {1, 2}, {2}}, {8, 9, 10}, {0}}),
            (Steps{{1, 2, {1}}, {0, 3, {0}}}));
}

TEST(ContractionOrder, KeepsALabelUntilItsLastTensor) {
  // Label 0 joins three tensors: it goes with the last of them.
  EXPECT_EQ(contraction_order({{{0, 1}, {0, 2}, {0, 3}}, {4, 2, 2, 2}, {1, 2, 3}}),
            (Steps{{0, 1, {0, 1, 2}}, {2, 3, {1, 2, 3}}}));
}

TEST(ContractionOrder, KeepsBatchLabels) {
  EXPECT_EQ(contraction_order({{{0, 1, 2}, {0, 2, 3}}, {5, 2, 3, 4}, {0, 1, 3}}),
            (Steps{{0, 1, {0, 1, 3}}}));
}

TEST(ContractionOrder, MultipliesWhatSharesNothingLastAndSmallFirst) {
  EXPECT_EQ(contraction_order({{{0}, {1}, {2}, {2}}, {9, 3, 5}, {0, 1}}),
            (Steps{{2, 3, {}}, {1, 4, {1}}, {0, 5, {0, 1}}}));
}

TEST(ContractionOrder, HasNoStepsForOneTensor) {
  EXPECT_TRUE(contraction_order({{{0, 1}}, {2, 2}, {0}}).empty());
}

TEST(ContractionOrder, TakesHundredsOfTensorsThatShareALabel) {
  TensorNetwork network{{}, {2}, {}};
  for (int32_t tensor = 0; tensor < 300; ++tensor) {
    network.extents.push_back(2);
    network.tensors.push_back({0, tensor + 1});
    network.out.push_back(tensor + 1);
  }
  EXPECT_EQ(contraction_order(network).size(), 299u);
}

}  // namespace
}  // namespace tessera::optimizer
