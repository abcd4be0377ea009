#pragma once

#include <span>

#include "kernels/cpu/grouped/memory.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// A box of values of a leaf: rows [first_row, first_row + num_rows) of the current ones, and
/// `length` positions of the inner label from `first` on.
struct RowBox {
  int64_t first_row = 0;
  int64_t num_rows = 0;
  int64_t first = 0;
  int64_t length = 1;
};

/// Binds a leaf to a call: its first place and its steps. Fails with out_of_range if it would leave
/// its operand.
Status bind_leaf(RowLeaf& leaf, const GroupedProgram& program, const KernelCall& call) noexcept;

/// Returns the memory at an address, which is counted in bytes from address 0.
const std::byte* at_address(int64_t address) noexcept;

/// Returns the address, or the position, of a leaf at the rows' labels.
int64_t first_of(const RowLeaf& leaf, std::span<const int64_t> positions) noexcept;

/// Returns the elements of a box, row by row, in the form that block functions take: in place if
/// they are contiguous, else in the leaf's buffer. `step` is the leaf's from row to row if it is
/// regular.
const std::byte* load_rows(const RowLeaf& leaf, int64_t origin, int64_t step, const RowBox& box,
                           uint16_t* staging) noexcept;

}  // namespace tessera::kernels
