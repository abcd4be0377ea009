#pragma once

#include <span>
#include <vector>

#include "kernels/cpu/walk/iteration_space.h"

namespace tessera::kernels {

/// Rows that are copied or repeated to bring the operands of a statement into blocks
/// (blocked/shape.h), where they do not lie in memory as a buffer holds them; each costs the same,
/// however short. By dense operands of the extents that a call reads; `read` as lay_out() takes it.
double num_loaded_rows(const expr::TileStatement& statement, std::span<const Streamed> read,
                       const CallShape& shape, bool may_have_rows);

/// What blocks of such a call are expected to be like.
struct ExpectedBlocks {
  std::vector<bool>
      uniform_streams;           // by operand that is read, whether it has one value in a block
  bool are_single_rows = false;  // as are_single_rows() says
  /// Results side by side along the label of which blocks are parts; 0 if they are parts of rows.
  int64_t columns = 0;
};
ExpectedBlocks expected_blocks(const expr::TileStatement& statement, std::span<const Streamed> read,
                               const CallShape& shape, bool may_have_rows);

}  // namespace tessera::kernels
