#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimizer/contraction/order_cost.h"
#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// A rotation of two contractions that follow each other: parent = (kept · moved) · other becomes
/// (kept · other) · moved. Only the lower one's result changes.
struct Rotation {
  int32_t parent = 0;
  int32_t lower = 0;  // the child of the parent that is contracted anew
  int32_t kept = 0;
  int32_t moved = 0;
  int32_t other = 0;
  double lower_size = 0;  // elements of the new result
  double lower_operations = 0;
  double parent_operations = 0;
};

/// An order of contractions as a binary tree in which neighbours change places quickly: label sets
/// are bits, and the cost of a node is kept with it.
///
/// Nodes are counted like tensors: first those of the network, then the contractions, the root
/// last. Memory: a bit per node and label. The network has to outlive the tree.
class RotationTree {
 public:
  /// REQUIRES three tensors or more, and steps that contract them into one.
  RotationTree(const TensorNetwork& network, const std::vector<ContractionStep>& steps);

  size_t num_tensors() const { return num_tensors_; }
  size_t num_words() const { return num_words_; }  // of a label set
  double size(int32_t node) const { return at(node).size; }
  double operations(int32_t node) const { return at(node).operations; }
  OrderCost cost() const;

  /// Proposes a rotation at contraction `place` of num_tensors() - 1, which opens one of its
  /// children: bit 0 of `choice` selects it, or the other one if that is a tensor; bit 1 selects
  /// the grandchild that moves up. Returns false if both children are tensors.
  bool propose(size_t place, uint32_t choice, Rotation& rotation) const;
  void apply(const Rotation& rotation);

  /// Returns the tree as steps, each after those that it uses.
  std::vector<ContractionStep> steps() const;

 private:
  using Word = uint64_t;
  struct Node {
    int32_t left = -1;  // -1: a tensor of the network
    int32_t right = -1;
    double size = 0;  // elements
    double operations = 0;
  };

  const Node& at(int32_t node) const { return nodes_[static_cast<size_t>(node)]; }
  Node& at(int32_t node) { return nodes_[static_cast<size_t>(node)]; }
  const Word* labels(int32_t node) const { return &bits_[static_cast<size_t>(node) * num_words_]; }
  Word* labels(int32_t node) { return &bits_[static_cast<size_t>(node) * num_words_]; }
  void set_labels(int32_t node, const LabelSet& set);
  LabelSet label_set(int32_t node) const;
  double volume_of(Word bits, size_t word) const;
  double volume_of_both(int32_t one, int32_t other) const;

  size_t num_tensors_;
  LabelSet held_;  // label by bit
  size_t num_words_;
  std::vector<double> extents_;  // by bit
  std::vector<Node> nodes_;
  std::vector<Word> bits_;  // num_words_ per node
};

}  // namespace tessera::optimizer
