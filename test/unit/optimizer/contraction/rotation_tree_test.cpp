#include "optimizer/contraction/rotation_tree.h"

#include <random>

#include <gtest/gtest.h>

#include "optimizer/contraction/greedy_order.h"
#include "unit/optimizer/contraction/drawn_network.h"

namespace tessera::optimizer::rotation_tree_test {
namespace {

TEST(RotationTree, GivesTheStepsThatItWasMadeOf) {
  const TensorNetwork chain{{{0, 1}, {1, 2}, {2, 3}}, {2, 3, 5, 7}, {0, 3}};
  const std::vector<ContractionStep> steps = {{0, 1, {0, 2}}, {3, 2, {0, 3}}};
  EXPECT_EQ(RotationTree(chain, steps).steps(), steps);
}

TEST(RotationTree, TakesTheOtherPairFirst) {
  const TensorNetwork chain{{{0, 1}, {1, 2}, {2, 3}}, {2, 3, 5, 7}, {0, 3}};
  RotationTree tree(chain, {{0, 1, {0, 2}}, {3, 2, {0, 3}}});
  Rotation rotation;
  EXPECT_FALSE(tree.propose(0, 0, rotation));  // both of its children are tensors
  ASSERT_TRUE(tree.propose(1, 0, rotation));   // keeps the second tensor, moves the first up
  EXPECT_EQ(rotation.kept, 1);
  EXPECT_EQ(rotation.moved, 0);
  EXPECT_EQ(rotation.other, 2);
  EXPECT_EQ(rotation.lower_size, 3 * 7);
  EXPECT_EQ(rotation.lower_operations, 2 * 3 * 5 * 7);
  EXPECT_EQ(rotation.parent_operations, 2 * 2 * 3 * 7);
  tree.apply(rotation);
  EXPECT_EQ(tree.steps(), (std::vector<ContractionStep>{{1, 2, {1, 3}}, {3, 0, {0, 3}}}));
}

TEST(RotationTree, CostsWhatItsStepsCost) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const auto num_tensors = static_cast<int32_t>(3 + 3 * seed);
    const TensorNetwork network = drawn_network({num_tensors, 2 * num_tensors, 4, seed});
    RotationTree tree(network, greedy_order(network, {}).steps);
    std::mt19937_64 random(seed);
    for (int move = 0; move < 500; ++move) {
      Rotation rotation;
      const size_t place = random() % static_cast<uint64_t>(num_tensors - 1);
      if (tree.propose(place, static_cast<uint32_t>(random() % 4), rotation)) {
        tree.apply(rotation);
      }
    }
    expect_valid(network, tree.steps());
    const OrderCost expected = cost_of(network, tree.steps());
    EXPECT_DOUBLE_EQ(tree.cost().operations, expected.operations) << "seed " << seed;
    EXPECT_DOUBLE_EQ(tree.cost().largest, expected.largest) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tessera::optimizer::rotation_tree_test
