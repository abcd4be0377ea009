#include "unit/optimizer/contraction/drawn_network.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace tessera::optimizer {

namespace {

class Drawing {
 public:
  explicit Drawing(const NetworkDrawing& wanted) : wanted_(wanted), random_(wanted.seed) {}

  TensorNetwork run() {
    std::vector<std::set<int32_t>> tensors(static_cast<size_t>(wanted_.num_tensors));
    std::set<int32_t> out;
    TensorNetwork network;
    for (int32_t label = 0; label < wanted_.num_labels; ++label) {
      network.extents.push_back(1 + below(wanted_.largest_extent));
      const int64_t holders = below(8) == 0 ? 3 + below(3) : 1 + (below(5) != 0 ? 1 : 0);
      for (int64_t holder = 0; holder < holders; ++holder) {
        tensors[static_cast<size_t>(below(wanted_.num_tensors))].insert(label);
      }
      if (below(5) == 0) {
        out.insert(label);
      }
    }
    if (below(3) == 0) {
      tensors.back() = tensors.front();
    }
    for (const std::set<int32_t>& tensor : tensors) {
      network.tensors.emplace_back(tensor.begin(), tensor.end());
    }
    const LabelSet held = all_labels(network);
    std::set_intersection(held.begin(), held.end(), out.begin(), out.end(),
                          std::back_inserter(network.out));
    return network;
  }

 private:
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(bound));
  }

  NetworkDrawing wanted_;
  std::mt19937_64 random_;
};

}  // namespace

TensorNetwork drawn_network(const NetworkDrawing& drawing) {
  return Drawing(drawing).run();
}

TensorNetwork drawn_chain(int32_t num_matrices, uint64_t seed) {
  std::mt19937_64 random(seed);
  TensorNetwork chain{{}, {}, {0, num_matrices}};
  for (int32_t label = 0; label <= num_matrices; ++label) {
    chain.extents.push_back(2 + static_cast<int64_t>(random() % 59));
    if (label < num_matrices) {
      chain.tensors.push_back({label, label + 1});
    }
  }
  return chain;
}

void expect_valid(const TensorNetwork& network, const std::vector<ContractionStep>& steps) {
  ASSERT_EQ(steps.size() + 1, network.tensors.size());
  std::vector<LabelSet> tensors = network.tensors;
  std::set<size_t> alive;
  for (size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    alive.insert(tensor);
  }
  for (const ContractionStep& step : steps) {
    ASSERT_EQ(alive.erase(static_cast<size_t>(step.left)), 1u);
    ASSERT_EQ(alive.erase(static_cast<size_t>(step.right)), 1u);
    LabelSet needed = network.out;
    for (const size_t other : alive) {
      needed = union_of(needed, tensors[other]);
    }
    const LabelSet both =
        union_of(tensors[static_cast<size_t>(step.left)], tensors[static_cast<size_t>(step.right)]);
    LabelSet expected;
    std::set_intersection(both.begin(), both.end(), needed.begin(), needed.end(),
                          std::back_inserter(expected));
    EXPECT_EQ(step.labels, expected);
    alive.insert(tensors.size());
    tensors.push_back(step.labels);
  }
}

}  // namespace tessera::optimizer
