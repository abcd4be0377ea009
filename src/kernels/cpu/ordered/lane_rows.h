#pragma once

#include <optional>
#include <vector>

#include "kernels/cpu/blocked/state_merger.h"
#include "kernels/cpu/ordered/leaf_space.h"
#include "kernels/isa/lane_table.h"

namespace tessera::kernels {

/// A reduction that adds rows in place (isa/lane_sums.h), without loading them into blocks: for a
/// sum of one access, or of a product of two, in a type that has such a loop. Other states beside
/// it may count positions, like a mean's: sums of a constant integer.
class LaneRows {
 public:
  LaneRows(const expr::TileStatement& statement, Isa isa);

  /// True if the statement is such a sum.
  bool has_sums() const { return entry_.sum != nullptr; }

  /// True if the rows of the space's last label can be added in place. Its streams [0, num_inputs)
  /// are the accesses.
  bool can_add(const LeafSpace& leaf, int num_inputs) const;

  /// Adds a row of each of `items` items to its lanes, which lie item after item in the buffer of
  /// the summed state. `origins` is the current place of every stream; rows that do not `continue`
  /// start the lanes. REQUIRES can_add().
  void add(const LeafSpace& leaf, int num_inputs, const int64_t* origins, int64_t items,
           const StateBuffers& states, bool continues) const noexcept;

  /// Ends a leaf of `positions` positions: leaves the states of the items side by side.
  void finish(int64_t items, int64_t positions, const StateBuffers& states) const noexcept;

 private:
  LaneEntry entry_;  // without a function for any other statement
  bool is_product_ = false;
  size_t summed_ = 0;                            // the state that is read from memory
  std::vector<std::optional<int64_t>> counted_;  // by state: the constant of every position
};

}  // namespace tessera::kernels
