#pragma once

#include <span>

#include "kernels/cpu/grouped/memory.h"
#include "kernels/kernel.h"

namespace tessera::kernels {

/// The rows of a block, before it is known of which groups they are: where their results begin.
struct BlockOfRows {
  int64_t first = 0;
  int64_t step = 0;
  int64_t count = 0;
};

/// Finds where the results of the rows begin, if all belong to groups of the call and no condition
/// leaves one out: the first `count` of the memory's offsets. False if that is not so.
bool place_all_rows(const GroupedProgram& program, std::span<const LabelRange> ranges,
                    const BlockOfRows& rows, RowMemory& memory) noexcept;

/// Finds the rows that are merged, and where, by the values of the stages: the first
/// `num_selected` of the memory's offsets and selected rows; all rows where these are as many.
/// Fails where the group of a row is none at all.
Status select_rows(const GroupedProgram& program, std::span<const LabelRange> ranges,
                   const BlockOfRows& rows, RowMemory& memory, int64_t& num_selected) noexcept;

}  // namespace tessera::kernels
