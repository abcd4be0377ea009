#pragma once

#include <cstdint>
#include <optional>

#include "expr/monoid.h"
#include "kernels/cpu/blocked/machine.h"
#include "kernels/cpu/blocked/row_reduction.h"
#include "kernels/generated/interface.h"

namespace tessera::kernels {

/// Returns the merge of the first state of a monoid for generated code; nothing if folds do it.
std::optional<generated::Operation> merge_in_code(const expr::Monoid& monoid);

/// A row, along the last label of a space and the reduced ones around it, that a merging program
/// computes and merges. All members are the caller's.
struct MergedRow {
  const IterationSpace& space;
  BlockShape& block;  // with are_single_rows()
  int64_t* origins;   // of the streams, at the row's start; restored at the end
  BlockView* views;   // of the read streams
  int num_inputs;
  BlockMachine& machine;
  uint16_t* staging;

  /// Merges the whole row, in the order of a row that is folded block by block.
  Status merge_into(RowAccumulator& row) noexcept;

 private:
  Status merge_innermost(RowAccumulator& row) noexcept;
  void look(int64_t count) noexcept;
  bool lies_in_place() const noexcept;
};

}  // namespace tessera::kernels
