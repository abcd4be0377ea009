#include "optimizer/contraction/exact_order.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "optimizer/contraction/order_cost.h"
#include "unit/optimizer/contraction/drawn_network.h"

namespace tessera::optimizer::exact_order_test {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

/// Tries every order of contractions.
class EveryOrder {
 public:
  EveryOrder(const TensorNetwork& network, double most_elements)
      : network_(network), most_elements_(most_elements) {
    std::vector<int32_t> all;
    for (size_t tensor = 0; tensor < network.tensors.size(); ++tensor) {
      all.push_back(static_cast<int32_t>(tensor));
    }
    tensors_ = network.tensors;
    visit(all);
  }

  OrderCost best() const { return best_; }

 private:
  void visit(const std::vector<int32_t>& alive) {
    if (alive.size() == 1) {
      const OrderCost cost = cost_of(network_, steps_);
      if (is_better(cost, best_, most_elements_)) {
        best_ = cost;
      }
      return;
    }
    for (size_t left = 0; left < alive.size(); ++left) {
      for (size_t right = left + 1; right < alive.size(); ++right) {
        contract(alive, left, right);
      }
    }
  }

  void contract(std::vector<int32_t> alive, size_t left, size_t right) {
    const int32_t a = alive[left];
    const int32_t b = alive[right];
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(right));
    alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(left));
    LabelSet needed = network_.out;
    for (const int32_t other : alive) {
      needed = union_of(needed, tensors_[static_cast<size_t>(other)]);
    }
    const LabelSet both =
        union_of(tensors_[static_cast<size_t>(a)], tensors_[static_cast<size_t>(b)]);
    LabelSet kept;
    std::set_intersection(both.begin(), both.end(), needed.begin(), needed.end(),
                          std::back_inserter(kept));
    alive.push_back(static_cast<int32_t>(tensors_.size()));
    tensors_.push_back(kept);
    steps_.push_back({a, b, kept});
    visit(alive);
    steps_.pop_back();
    tensors_.pop_back();
  }

  const TensorNetwork& network_;
  double most_elements_;
  std::vector<LabelSet> tensors_;
  std::vector<ContractionStep> steps_;
  OrderCost best_{kNoBound, kNoBound};
};

void expect_equal(const OrderCost& got, const OrderCost& expected, uint64_t seed) {
  EXPECT_EQ(got.operations, expected.operations) << "seed " << seed;
  EXPECT_EQ(got.largest, expected.largest) << "seed " << seed;
}

TEST(ExactOrder, IsTheBestOfAllOrders) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const auto num_tensors = static_cast<int32_t>(2 + seed % 5);
    const TensorNetwork network = drawn_network({num_tensors, 9, 6, seed});
    const std::vector<ContractionStep> steps = exact_order(network, kNoBound);
    expect_valid(network, steps);
    expect_equal(cost_of(network, steps), EveryOrder(network, kNoBound).best(), seed);
  }
}

TEST(ExactOrder, KeepsABoundOrComesAsCloseAsAnyOrder) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const TensorNetwork network = drawn_network({5, 9, 5, seed});
    for (const double bound : {0.0, 1.0, 10.0, 100.0, 1000.0}) {
      const std::vector<ContractionStep> steps = exact_order(network, bound);
      expect_valid(network, steps);
      expect_equal(cost_of(network, steps), EveryOrder(network, bound).best(), seed);
    }
  }
}

TEST(ExactOrder, MultipliesWhatSharesNothingWhereThatPays) {
  // Small a[i] and b[j] first make one pass over the large c[i,j] do.
  const TensorNetwork network{{{0, 1}, {0}, {1}}, {100, 100}, {0, 1}};
  EXPECT_EQ(exact_order(network, kNoBound),
            (std::vector<ContractionStep>{{0, 1, {0, 1}}, {3, 2, {0, 1}}}));
  const TensorNetwork product{{{0}, {1}, {0, 1, 2}}, {3, 4, 100}, {2}};
  EXPECT_EQ(exact_order(product, kNoBound),
            (std::vector<ContractionStep>{{0, 1, {0, 1}}, {3, 2, {2}}}));
}

TEST(ExactOrder, TakesScalarsAndSingleTensors) {
  EXPECT_EQ(exact_order({{{}, {}, {}}, {}, {}}, kNoBound),
            (std::vector<ContractionStep>{{0, 1, {}}, {3, 2, {}}}));
  EXPECT_TRUE(exact_order({{{0, 1}}, {2, 2}, {0}}, kNoBound).empty());
}

TEST(ExactOrder, TakesTwelveTensorsOfTwentySevenModes) {
  TensorNetwork network;
  for (int32_t label = 0; label < 40; ++label) {
    network.extents.push_back(4);
  }
  for (int32_t tensor = 0; tensor < 12; ++tensor) {
    LabelSet labels;
    for (int32_t label = 0; label < 27; ++label) {
      labels.push_back(label + tensor);
    }
    network.tensors.push_back(labels);
  }
  ASSERT_TRUE(can_order_exactly(network));
  expect_valid(network, exact_order(network, kNoBound));
}

TEST(ExactOrder, RefusesLargerNetworks) {
  EXPECT_TRUE(can_order_exactly(drawn_chain(12, 0)));
  EXPECT_FALSE(can_order_exactly(drawn_chain(13, 0)));
  TensorNetwork huge{{{}}, {}, {}};
  for (int32_t label = 0; label < 40; ++label) {
    huge.tensors.front().push_back(label);
    huge.extents.push_back(int64_t{1} << 30);
  }
  EXPECT_FALSE(can_order_exactly(huge));
}

}  // namespace
}  // namespace tessera::optimizer::exact_order_test
