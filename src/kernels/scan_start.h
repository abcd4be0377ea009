#pragma once

#include <optional>
#include <vector>

#include "expr/tile_program.h"

namespace tessera::kernels {

std::vector<expr::Index> plain_indices(const std::vector<expr::LabelNumber>& labels);

/// A program whose first statement scans a tile, or merges it in order, and whose other statements
/// read the states only after they are merged with the states before the tile.
///
/// Kernels walk such a tile from the states before it. Merged afterwards, a tile that overflows by
/// itself would be lost: 0 times infinity is no number, but every running product after a 0 is 0.
struct ScanStart {
  int32_t first_operand = 0;  // the states before, an operand for each entry of the state
  /// True if a merged tile has the order of a backward scan: it is walked from its last position.
  /// Its monoid has the sides of the scan's exchanged, while `combine` has not.
  bool is_backward = false;
  /// The merge of two states of the scan, the earlier one on the left.
  std::vector<expr::Scalar> combine;
  /// The later statements, over the states of such a walk.
  std::vector<expr::TileStatement> rest;
};

/// Returns the start of a program; none if it has none.
///
/// States before the tile are inputs that follow each other, read at the labels of the result
/// without the scan's, and by nothing but the merge.
std::optional<ScanStart> scan_start(const expr::TileProgram& program);

}  // namespace tessera::kernels
