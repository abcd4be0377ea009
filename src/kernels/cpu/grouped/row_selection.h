#pragma once

#include <span>

#include "kernels/cpu/grouped/memory.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// The rows of a block before their groups are known: the beginnings of their results.
struct BlockOfRows {
  int64_t first = 0;
  int64_t step = 0;
  int64_t count = 0;
};

/// Finds the beginnings of the rows' results if all rows belong to groups of the call and no
/// condition leaves one out: the first `count` of the memory's offsets. Returns false if that is
/// not so.
bool place_all_rows(const GroupedProgram& program, std::span<const LabelRange> ranges,
                    const BlockOfRows& rows, RowMemory& memory) noexcept;

/// Finds the rows that are merged, and their places, from the values of the stages: the first
/// `num_selected` of the memory's offsets and selected rows; all rows if these are as many. Fails
/// if the group of a row does not exist.
Status select_rows(const GroupedProgram& program, std::span<const LabelRange> ranges,
                   const BlockOfRows& rows, RowMemory& memory, int64_t& num_selected) noexcept;

}  // namespace tessera::kernels
