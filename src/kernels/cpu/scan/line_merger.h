#pragma once

#include "kernels/cpu/blocked/machine.h"
#include "kernels/cpu/scan/range_loss.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

/// A merger of the states before each line of a tile with the line's own merge. It tells which
/// lines have to be walked instead (range_loss.h). Threads: one.
class LineMerger {
 public:
  static int64_t workspace_bytes(const BlockReduction& reduction, int64_t num_lines);

  /// `memory` is of workspace_bytes(), aligned to 64.
  LineMerger(const BlockReduction& reduction, int64_t num_lines, std::byte* memory) noexcept;

  /// Returns the buffer of the lines' own merges, dense, for the caller to fill.
  std::byte* part(size_t entry) const noexcept { return part_[entry]; }

  /// Merges them with the states before the lines, dense and aligned to 64.
  Status merge(const StateBuffers& before) noexcept;

  /// True if some line has to be walked.
  bool has_lost() const noexcept { return has_lost_; }

  /// Replaces the states of all lines except those that have to be walked.
  void settle(const StateBuffers& states) const noexcept;

 private:
  const BlockReduction& reduction_;
  int64_t num_lines_;
  BlockMachine machine_;
  StateBuffers part_{};
  StateBuffers merged_{};
  bool* lost_ = nullptr;
  bool has_lost_ = false;
};

}  // namespace tessera::kernels
