#pragma once

#include "kernels/cpu/ordered/leaf_space.h"
#include "kernels/isa/lane_table.h"

namespace tessera::kernels {

/// Adds rows where they lie (isa/lane_sums.h), without bringing them into blocks: for a sum of one
/// access, or of a product of two, in a type that has such a loop.
class LaneRows {
 public:
  LaneRows(const expr::TileStatement& statement, Isa isa);

  /// Whether the rows of the space's last label can be added so. Its streams [0, num_inputs) are
  /// the accesses.
  bool can_add(const LeafSpace& leaf, int num_inputs) const;

  /// Adds a row of each of `items` items to its lanes, which lie item after item. `origins` is
  /// where every stream stands; rows that do not `continue` start the lanes. REQUIRES can_add().
  void add(const LeafSpace& leaf, int num_inputs, const int64_t* origins, int64_t items,
           std::byte* lanes, bool continues) const noexcept;

 private:
  LaneSum sum_ = nullptr;  // null where the statement is another
  bool is_product_ = false;
};

}  // namespace tessera::kernels
