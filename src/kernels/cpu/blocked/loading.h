#pragma once

#include <span>
#include <vector>

#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// Counts the rows that are copied or repeated to bring the operands of a statement into blocks
/// (blocked/shape.h), if they are not laid out in memory like a buffer; each costs the same, at any
/// length. Assumes dense operands of the extents that a call reads; `read` is as for lay_out().
double num_loaded_rows(const expr::TileStatement& statement, std::span<const Streamed> read,
                       const CallShape& shape, bool may_have_rows);

/// The expected properties of the blocks of a call.
struct ExpectedBlocks {
  std::vector<bool> uniform_streams;  // by read operand: true if it has one value in a block
  bool are_single_rows = false;       // as are_single_rows() says
  /// Results side by side along the label of which blocks are parts; 0 if they are parts of rows.
  int64_t columns = 0;
};
ExpectedBlocks expected_blocks(const expr::TileStatement& statement, std::span<const Streamed> read,
                               const CallShape& shape, bool may_have_rows);

}  // namespace tessera::kernels
