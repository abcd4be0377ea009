#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "optimizer/contraction/order_cost.h"
#include "optimizer/contraction/tensor_network.h"

namespace tessera::optimizer {

/// A connected part of a tree: its topmost node, and its leaves.
struct Subtree {
  std::vector<int32_t> inner;   // nodes that are contractions of this part; the first is the top
  std::vector<int32_t> leaves;  // nodes below them, tensors or results of other contractions
};

/// An order of contractions as a binary tree whose parts can be exchanged.
///
/// Nodes are counted like tensors: first those of the network, then a contraction per step. The
/// network has to outlive the tree.
class ContractionTree {
 public:
  struct Node {
    int32_t parent = -1;  // -1: the root
    int32_t left = -1;    // -1: a tensor of the network
    int32_t right = -1;
    LabelSet labels;
    double size = 0;        // elements
    double operations = 0;  // of this contraction alone
  };

  /// REQUIRES two tensors or more, and steps that contract them into one.
  ContractionTree(const TensorNetwork& network, const std::vector<ContractionStep>& steps);

  const Node& node(int32_t number) const { return nodes_[static_cast<size_t>(number)]; }
  bool is_leaf(int32_t number) const { return node(number).left < 0; }

  /// Returns the contractions, each after those that it uses.
  std::vector<int32_t> contractions() const;

  /// Grows the part below a contraction to at most `most_leaves` leaves, always opening the node
  /// with the most operations.
  Subtree grow(int32_t top, size_t most_leaves) const;
  OrderCost cost_of_part(const Subtree& part) const;

  /// Contracts the leaves of a part in another order: steps over the leaves as tensors.
  void replace(const Subtree& part, const std::vector<ContractionStep>& steps);

  /// Returns the tree as steps, depth first; of two parts the one with the tensor of the lowest
  /// number comes first. So trees that are equal but for their numbers give the same steps.
  std::vector<ContractionStep> steps() const;

 private:
  Node& at(int32_t number) { return nodes_[static_cast<size_t>(number)]; }
  void set_contraction(int32_t number, int32_t left, int32_t right, const LabelSet& labels);
  std::vector<int32_t> lowest_tensors() const;

  const TensorNetwork& network_;
  std::vector<Node> nodes_;
  int32_t root_;
};

}  // namespace tessera::optimizer
