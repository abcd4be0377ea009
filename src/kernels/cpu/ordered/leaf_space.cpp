#include "kernels/cpu/ordered/leaf_space.h"

#include <algorithm>

namespace tessera::kernels {

namespace {

/// Items of a label shorter than this leave most of a block empty.
constexpr int64_t kFewItems = 8;

int64_t& step_of(IterationSpace& space, int stream, int label) {
  return space.streams[static_cast<size_t>(stream)].step[static_cast<size_t>(label)];
}

/// Joins kept labels that every stream walks as one: the outer one keeps one position.
void join_kept_labels(LeafSpace& leaf) {
  IterationSpace& space = leaf.space;
  for (int inner = leaf.num_kept - 1; inner > 0; --inner) {
    const int outer = inner - 1;
    const int64_t length = leaf.length(inner);
    bool walks_as_one = true;
    for (int stream = 0; stream < space.num_streams; ++stream) {
      walks_as_one =
          walks_as_one && step_of(space, stream, outer) == length * step_of(space, stream, inner);
    }
    if (walks_as_one) {
      // The joined label takes the outer place, so that it may be joined further.
      for (int stream = 0; stream < space.num_streams; ++stream) {
        step_of(space, stream, outer) = step_of(space, stream, inner);
      }
      int64_t& joined = space.length[static_cast<size_t>(outer)];
      joined = counted(joined, length);
      space.length[static_cast<size_t>(inner)] = 1;
    }
  }
}

/// Returns the kept label with the smallest steps among the long ones, or else the longest; -1 if
/// all have one position.
int best_kept_label(const LeafSpace& leaf) {
  int best = -1;
  for (int label = 0; label < leaf.num_kept; ++label) {
    if (leaf.length(label) == 1) {
      continue;
    }
    const bool is_long = leaf.length(label) >= kFewItems;
    const bool best_is_long = best >= 0 && leaf.length(best) >= kFewItems;
    const bool is_better =
        best < 0 ||
        (is_long && best_is_long ? total_step(leaf.space, label) < total_step(leaf.space, best)
                                 : leaf.length(label) > leaf.length(best));
    best = is_better ? label : best;
  }
  return best;
}

void choose_items(LeafSpace& leaf, int64_t enough) {
  const int kept = best_kept_label(leaf);
  const int last = leaf.last_label();
  const int64_t num_leaves = leaf.length(leaf.leaves);
  const bool kept_is_nearer =
      kept >= 0 && total_step(leaf.space, kept) < total_step(leaf.space, last);
  // Leaves are preferred if there are enough of them, because they are walked from front to back
  // while results may lie further apart.
  const bool takes_leaves = num_leaves > 1 && (kept < 0 || leaf.length(kept) < kFewItems ||
                                               (!kept_is_nearer && num_leaves >= enough));
  leaf.item_label = takes_leaves || kept < 0 ? leaf.leaves : kept;
  leaf.items_inner = !leaf.items_are_leaves() && kept_is_nearer;
}

}  // namespace

bool LeafSpace::has_no_result() const {
  return std::any_of(space.length.begin(), space.length.begin() + num_kept,
                     [](int64_t positions) { return positions == 0; });
}

bool LeafSpace::reduces_nothing() const {
  return (length(leaves) == 0 && rest == 0) ||
         std::any_of(space.length.begin() + num_kept, space.length.begin() + leaves,
                     [](int64_t positions) { return positions == 0; });
}

LeafSpace leaf_space_of(const IterationSpace& space, int leaf_label, int64_t leaf_length,
                        int64_t enough) noexcept {
  LeafSpace leaf;
  leaf.space = space;
  leaf.num_kept = space.num_out;
  leaf.leaf_label = leaf_label;
  leaf.leaves = leaf.space.num_labels++;
  const int64_t length = space.length[static_cast<size_t>(leaf_label)];
  leaf.space.length[static_cast<size_t>(leaf.leaves)] = length / leaf_length;
  leaf.rest = length % leaf_length;
  leaf.space.length[static_cast<size_t>(leaf_label)] = length == 0 ? 0 : leaf_length;
  for (int stream = 0; stream < space.num_streams; ++stream) {
    step_of(leaf.space, stream, leaf.leaves) =
        leaf_length * step_of(leaf.space, stream, leaf_label);
  }
  join_kept_labels(leaf);
  choose_items(leaf, enough);
  return leaf;
}

bool LabelWalk::advance(int64_t* origins) noexcept {
  for (int number = num_labels_ - 1; number >= 0; --number) {
    const auto label = static_cast<size_t>(labels_[static_cast<size_t>(number)]);
    int64_t& position = position_[static_cast<size_t>(number)];
    const bool goes_on = position + 1 < space_.length[label];
    const int64_t moved = goes_on ? 1 : -position;
    position += moved;
    for (int stream = 0; moved != 0 && stream < space_.num_streams; ++stream) {
      origins[stream] += moved * space_.streams[static_cast<size_t>(stream)].step[label];
    }
    if (goes_on) {
      return true;
    }
  }
  return false;
}

}  // namespace tessera::kernels
