#include "optimizer/contraction/subtree_reoptimisation.h"

#include <algorithm>

#include "optimizer/contraction/contraction_tree.h"
#include "optimizer/contraction/exact_order.h"
#include "optimizer/contraction/order_cost.h"

namespace tessera::optimizer {

namespace {

constexpr size_t kMostLeaves = 8;
constexpr size_t kTrialsPerTensor = 20;

class Reoptimisation {
 public:
  Reoptimisation(const TensorNetwork& network, const std::vector<ContractionStep>& steps,
                 double most_elements)
      : tree_(network, steps),
        part_network_{{}, network.extents, {}},
        most_elements_(most_elements),
        is_settled_(network.tensors.size() + steps.size(), false),
        trials_left_(kTrialsPerTensor * network.tensors.size()) {}

  std::vector<ContractionStep> run() {
    bool improved = true;
    while (improved) {
      improved = false;
      for (const int32_t top : tree_.contractions()) {
        if (!is_settled_[static_cast<size_t>(top)] && trials_left_ > 0) {
          improved |= improve(top);
        }
      }
    }
    return tree_.steps();
  }

 private:
  /// Reorders the part below a contraction. Returns true if that made it better.
  bool improve(int32_t top) {
    is_settled_[static_cast<size_t>(top)] = true;
    const Subtree part = tree_.grow(top, kMostLeaves);
    take_network_of(part, top);
    if (part.leaves.size() < 3 || !can_order_exactly(part_network_)) {
      return false;
    }
    --trials_left_;
    const std::vector<ContractionStep> steps = exact_order(part_network_, most_elements_);
    if (!is_better(cost_of(part_network_, steps), tree_.cost_of_part(part), most_elements_)) {
      return false;
    }
    tree_.replace(part, steps);
    unsettle(part);
    return true;
  }

  void take_network_of(const Subtree& part, int32_t top) {
    part_network_.tensors.clear();
    for (const int32_t leaf : part.leaves) {
      part_network_.tensors.push_back(tree_.node(leaf).labels);
    }
    part_network_.out = tree_.node(top).labels;
  }

  /// Marks the contractions whose parts have changed: those inside the part, and those that reach
  /// into it from above.
  void unsettle(const Subtree& part) {
    for (const int32_t number : part.inner) {
      is_settled_[static_cast<size_t>(number)] = false;
    }
    int32_t above = tree_.node(part.inner.front()).parent;
    for (size_t level = 0; level + 2 < kMostLeaves && above >= 0; ++level) {
      is_settled_[static_cast<size_t>(above)] = false;
      above = tree_.node(above).parent;
    }
  }

  ContractionTree tree_;
  TensorNetwork part_network_;  // of the current part; labels and extents are the whole network's
  double most_elements_;
  std::vector<bool> is_settled_;  // by node: no better order of its part was found
  size_t trials_left_;
};

}  // namespace

std::vector<ContractionStep> with_subtrees_reoptimised(const TensorNetwork& network,
                                                       const std::vector<ContractionStep>& steps,
                                                       double most_elements) {
  return steps.empty() ? steps : Reoptimisation(network, steps, most_elements).run();
}

}  // namespace tessera::optimizer
