#pragma once

#include <array>
#include <optional>
#include <vector>

#include "kernels/isa/direct_table.h"
#include "kernels/kernel.h"
#include "types/shape.h"

namespace tessera::kernels {

/// An operand of a direct convolution. If it cannot be read in place, it is packed: converted to
/// the type of the result, with the elements of neighbouring columns side by side.
struct DirectOperand {
  expr::Access access;
  DType stored = DType::f32;
  Shape extents;                      // of the part that a call reads, by mode
  std::optional<size_t> column_mode;  // read at the column label; none: the same in all columns
  int64_t column_step = 1;            // elements of that mode from a column to the next
  bool packs = false;
};

/// A statement that merges a function of two operands, at least one of which is read in windows:
///
///     out[i...] = merge over t... of of_join(join(x[sums of labels], y[sums of labels]))
///
/// computed in tiles of rows and columns (isa/direct_table.h). Columns are places of the result's
/// innermost label, rows of another, which moves one operand alone.
struct DirectConvolution {
  static constexpr int64_t kMostRows = 6;

  DirectOperand x;
  DirectOperand y;
  DType type = DType::f32;  // of the computation
  DirectKind kind = DirectKind::outer;
  expr::LabelNumber column = 0;
  std::optional<expr::LabelNumber> row;
  std::vector<expr::LabelNumber> out;
  std::vector<expr::LabelNumber> over;
  /// Indexed by rows and vectors of columns, both from 1. Null if there is none.
  std::array<std::array<const DirectEntry*, 3>, kMostRows + 1> tiles{};

  int64_t vector() const { return tiles[1][1]->columns; }
  /// Returns how many of `rows_left` rows the next tile takes.
  int64_t rows_of_tile(int64_t rows_left) const noexcept;
};

/// Reads a program as a direct convolution, or returns why it is none.
OrRefusal<DirectConvolution> read_as_direct(const expr::TileProgram& program,
                                            const CallShape& shape, Isa isa);

}  // namespace tessera::kernels
