#pragma once

#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// The labels of a reduction with a leaf in the order of tree_reduction: the statement's space,
/// with the leaf's label cut in two, leaves and positions within a leaf.
///
/// One kept label gives the items that are reduced side by side; the other kept labels are walked
/// around it. Reduced labels are walked in their written order.
struct LeafSpace {
  IterationSpace space;     // its last label, after the reduced ones, counts the whole leaves
  int leaves = 0;           // the number of that label
  int leaf_label = 0;       // the label whose positions the leaf has
  int64_t rest = 0;         // positions of a shorter last leaf, else 0
  int num_kept = 0;         // labels [0, num_kept) are kept, [num_kept, leaves) reduced
  int item_label = 0;       // a kept label, or `leaves`
  bool items_inner = true;  // true if neighbours lie along the items rather than the last label

  int last_label() const { return leaves - 1; }
  bool items_are_leaves() const { return item_label == leaves; }
  int64_t length(int label) const { return space.length[static_cast<size_t>(label)]; }
  bool has_no_result() const;    // a kept label has no positions
  bool reduces_nothing() const;  // a reduced label has none
};

/// Cuts the label of the leaf and chooses the items: leaves, if there are `enough` of them. `space`
/// has the statement's streams. REQUIRES a place for one more label.
LeafSpace leaf_space_of(const IterationSpace& space, int leaf_label, int64_t leaf_length,
                        int64_t enough) noexcept;

/// A walk over the positions of some labels of a space in row-major order, with every stream's
/// origin kept up to date.
class LabelWalk {
 public:
  explicit LabelWalk(const IterationSpace& space) : space_(space) {}

  void add(int label) { labels_[static_cast<size_t>(num_labels_++)] = label; }
  void start() { position_.fill(0); }

  /// Returns false after the last position, with the origins back at the start.
  bool advance(int64_t* origins) noexcept;

 private:
  const IterationSpace& space_;
  int num_labels_ = 0;
  std::array<int, kMaxLabels> labels_;
  std::array<int64_t, kMaxLabels> position_;
};

}  // namespace tessera::kernels
