#include "optimizer/contraction/contraction_tree.h"

#include <algorithm>

namespace tessera::optimizer {

ContractionTree::ContractionTree(const TensorNetwork& network,
                                 const std::vector<ContractionStep>& steps)
    : network_(network),
      nodes_(network.tensors.size() + steps.size()),
      root_(static_cast<int32_t>(nodes_.size()) - 1) {
  for (size_t tensor = 0; tensor < network.tensors.size(); ++tensor) {
    nodes_[tensor].labels = network.tensors[tensor];
    nodes_[tensor].size = volume(network.tensors[tensor], network.extents);
  }
  auto number = static_cast<int32_t>(network.tensors.size());
  for (const ContractionStep& step : steps) {
    set_contraction(number++, step.left, step.right, step.labels);
  }
}

void ContractionTree::set_contraction(int32_t number, int32_t left, int32_t right,
                                      const LabelSet& labels) {
  Node& made = at(number);
  made.left = left;
  made.right = right;
  made.labels = labels;
  made.size = volume(labels, network_.extents);
  made.operations = step_operations(
      volume_of_both(node(left).labels, node(right).labels, network_.extents), made.size);
  at(left).parent = number;
  at(right).parent = number;
}

std::vector<int32_t> ContractionTree::contractions() const {
  std::vector<int32_t> order;  // parents first; reversed at the end
  std::vector<int32_t> open = {root_};
  while (!open.empty()) {
    const int32_t number = open.back();
    open.pop_back();
    if (!is_leaf(number)) {
      order.push_back(number);
      open.push_back(node(number).left);
      open.push_back(node(number).right);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Subtree ContractionTree::grow(int32_t top, size_t most_leaves) const {
  Subtree part{{top}, {node(top).left, node(top).right}};
  while (part.leaves.size() < most_leaves) {
    // Leaves have no operations, so one of them is the dearest only if no other node is left.
    const auto dearest = std::max_element(
        part.leaves.begin(), part.leaves.end(),
        [&](int32_t a, int32_t b) { return node(a).operations < node(b).operations; });
    const int32_t opened = *dearest;
    if (is_leaf(opened)) {
      break;
    }
    *dearest = node(opened).left;
    part.leaves.push_back(node(opened).right);
    part.inner.push_back(opened);
  }
  return part;
}

OrderCost ContractionTree::cost_of_part(const Subtree& part) const {
  OrderCost cost;
  for (const int32_t number : part.inner) {
    cost.operations += node(number).operations;
    if (number != part.inner.front()) {
      cost.largest = std::max(cost.largest, node(number).size);
    }
  }
  return cost;
}

void ContractionTree::replace(const Subtree& part, const std::vector<ContractionStep>& steps) {
  std::vector<int32_t> numbers = part.leaves;  // by tensor of the steps: its node
  numbers.insert(numbers.end(), part.inner.rbegin(), part.inner.rend());
  for (size_t step = 0; step < steps.size(); ++step) {
    set_contraction(numbers[part.leaves.size() + step],
                    numbers[static_cast<size_t>(steps[step].left)],
                    numbers[static_cast<size_t>(steps[step].right)], steps[step].labels);
  }
}

std::vector<int32_t> ContractionTree::lowest_tensors() const {
  std::vector<int32_t> lowest(nodes_.size());
  for (size_t tensor = 0; tensor < network_.tensors.size(); ++tensor) {
    lowest[tensor] = static_cast<int32_t>(tensor);
  }
  for (const int32_t number : contractions()) {
    lowest[static_cast<size_t>(number)] = std::min(lowest[static_cast<size_t>(node(number).left)],
                                                   lowest[static_cast<size_t>(node(number).right)]);
  }
  return lowest;
}

std::vector<ContractionStep> ContractionTree::steps() const {
  const std::vector<int32_t> lowest = lowest_tensors();
  std::vector<ContractionStep> steps;
  std::vector<int32_t> result(nodes_.size(), -1);  // by node: its number among the steps' tensors
  std::vector<int32_t> open = {root_};
  while (!open.empty()) {
    const int32_t number = open.back();
    int32_t left = node(number).left;
    int32_t right = node(number).right;
    if (is_leaf(number)) {
      result[static_cast<size_t>(number)] = number;
      open.pop_back();
      continue;
    }
    if (lowest[static_cast<size_t>(right)] < lowest[static_cast<size_t>(left)]) {
      std::swap(left, right);
    }
    if (result[static_cast<size_t>(left)] < 0) {
      open.push_back(left);
    } else if (result[static_cast<size_t>(right)] < 0) {
      open.push_back(right);
    } else {
      result[static_cast<size_t>(number)] =
          static_cast<int32_t>(network_.tensors.size() + steps.size());
      steps.push_back({result[static_cast<size_t>(left)], result[static_cast<size_t>(right)],
                       node(number).labels});
      open.pop_back();
    }
  }
  return steps;
}

}  // namespace tessera::optimizer
