#include "optimizer/contraction/rotation_tree.h"

#include <algorithm>
#include <bit>

namespace tessera::optimizer {

namespace {

constexpr size_t kBitsPerWord = 64;

}  // namespace

RotationTree::RotationTree(const TensorNetwork& network, const std::vector<ContractionStep>& steps)
    : num_tensors_(network.tensors.size()),
      held_(all_labels(network)),
      num_words_(std::max<size_t>(1, (held_.size() + kBitsPerWord - 1) / kBitsPerWord)),
      nodes_(network.tensors.size() + steps.size()) {
  for (const int32_t label : held_) {
    extents_.push_back(static_cast<double>(network.extents[static_cast<size_t>(label)]));
  }
  bits_.resize(nodes_.size() * num_words_);
  for (size_t tensor = 0; tensor < num_tensors_; ++tensor) {
    set_labels(static_cast<int32_t>(tensor), network.tensors[tensor]);
    nodes_[tensor].size = volume(network.tensors[tensor], network.extents);
  }
  auto number = static_cast<int32_t>(num_tensors_);
  for (const ContractionStep& step : steps) {
    set_labels(number, step.labels);
    const double size = volume(step.labels, network.extents);
    at(number) = {step.left, step.right, size,
                  step_operations(volume_of_both(step.left, step.right), size)};
    ++number;
  }
}

void RotationTree::set_labels(int32_t node, const LabelSet& set) {
  Word* bits = labels(node);
  auto place = held_.begin();
  for (const int32_t label : set) {
    place = std::lower_bound(place, held_.end(), label);
    const auto bit = static_cast<size_t>(place - held_.begin());
    bits[bit / kBitsPerWord] |= Word{1} << (bit % kBitsPerWord);
  }
}

LabelSet RotationTree::label_set(int32_t node) const {
  LabelSet set;
  for (size_t word = 0; word < num_words_; ++word) {
    for (Word bits = labels(node)[word]; bits != 0; bits &= bits - 1) {
      set.push_back(held_[word * kBitsPerWord + static_cast<size_t>(std::countr_zero(bits))]);
    }
  }
  return set;
}

double RotationTree::volume_of(Word bits, size_t word) const {
  const double* const extents = &extents_[word * kBitsPerWord];
  double elements = 1;
  for (; bits != 0; bits &= bits - 1) {
    elements *= extents[std::countr_zero(bits)];
  }
  return elements;
}

double RotationTree::volume_of_both(int32_t one, int32_t other) const {
  const Word* const a = labels(one);
  const Word* const b = labels(other);
  double elements = 1;
  for (size_t word = 0; word < num_words_; ++word) {
    elements *= volume_of(a[word] | b[word], word);
  }
  return std::min(elements, kMostVolume);
}

OrderCost RotationTree::cost() const {
  OrderCost cost;
  for (size_t node = num_tensors_; node < nodes_.size(); ++node) {
    cost.operations += nodes_[node].operations;
    if (node + 1 < nodes_.size()) {
      cost.largest = std::max(cost.largest, nodes_[node].size);
    }
  }
  return cost;
}

bool RotationTree::propose(size_t place, uint32_t choice, Rotation& rotation) const {
  const auto is_tensor = [&](int32_t node) { return static_cast<size_t>(node) < num_tensors_; };
  rotation.parent = static_cast<int32_t>(num_tensors_ + place);
  const Node& parent = at(rotation.parent);
  const bool takes_left = (choice & 1) != 0 ? !is_tensor(parent.left) : is_tensor(parent.right);
  rotation.lower = takes_left ? parent.left : parent.right;
  rotation.other = takes_left ? parent.right : parent.left;
  if (is_tensor(rotation.lower)) {
    return false;
  }
  const Node& lower = at(rotation.lower);
  rotation.kept = (choice & 2) != 0 ? lower.left : lower.right;
  rotation.moved = (choice & 2) != 0 ? lower.right : lower.left;
  const Word* const kept = labels(rotation.kept);
  const Word* const moved = labels(rotation.moved);
  const Word* const other = labels(rotation.other);
  const Word* const result = labels(rotation.parent);
  double lower_loop = 1;
  double lower_size = 1;
  double parent_loop = 1;
  for (size_t word = 0; word < num_words_; ++word) {
    const Word both = kept[word] | other[word];
    const Word open = both & (moved[word] | result[word]);
    const double size = volume_of(open, word);
    lower_size *= size;
    lower_loop *= size * volume_of(both & ~open, word);
    parent_loop *= size * volume_of(moved[word] & ~open, word);
  }
  rotation.lower_size = std::min(lower_size, kMostVolume);
  rotation.lower_operations =
      step_operations(std::min(lower_loop, kMostVolume), rotation.lower_size);
  rotation.parent_operations = step_operations(std::min(parent_loop, kMostVolume), parent.size);
  return true;
}

void RotationTree::apply(const Rotation& rotation) {
  Word* const lower = labels(rotation.lower);
  const Word* const kept = labels(rotation.kept);
  const Word* const moved = labels(rotation.moved);
  const Word* const other = labels(rotation.other);
  const Word* const result = labels(rotation.parent);
  for (size_t word = 0; word < num_words_; ++word) {
    lower[word] = (kept[word] | other[word]) & (moved[word] | result[word]);
  }
  at(rotation.lower) = {rotation.kept, rotation.other, rotation.lower_size,
                        rotation.lower_operations};
  Node& parent = at(rotation.parent);
  parent.left = rotation.lower;
  parent.right = rotation.moved;
  parent.operations = rotation.parent_operations;
}

std::vector<ContractionStep> RotationTree::steps() const {
  std::vector<int32_t> order;  // parents first
  std::vector<int32_t> open = {static_cast<int32_t>(nodes_.size()) - 1};
  while (!open.empty()) {
    const int32_t number = open.back();
    open.pop_back();
    if (at(number).left >= 0) {
      order.push_back(number);
      open.push_back(at(number).left);
      open.push_back(at(number).right);
    }
  }
  std::vector<int32_t> tensor(nodes_.size());  // by node: its number among the steps' tensors
  for (size_t node = 0; node < num_tensors_; ++node) {
    tensor[node] = static_cast<int32_t>(node);
  }
  std::vector<ContractionStep> steps;
  for (size_t place = order.size(); place-- > 0;) {
    const Node& node = at(order[place]);
    tensor[static_cast<size_t>(order[place])] = static_cast<int32_t>(num_tensors_ + steps.size());
    steps.push_back({tensor[static_cast<size_t>(node.left)],
                     tensor[static_cast<size_t>(node.right)], label_set(order[place])});
  }
  return steps;
}

}  // namespace tessera::optimizer
