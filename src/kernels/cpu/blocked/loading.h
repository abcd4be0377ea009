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

/// By operand that is read, whether it has one value in every block of such a call.
std::vector<bool> uniform_streams(const expr::TileStatement& statement,
                                  std::span<const Streamed> read, const CallShape& shape,
                                  bool may_have_rows);

}  // namespace tessera::kernels
