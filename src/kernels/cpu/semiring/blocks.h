#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/semiring/panels.h"
#include "kernels/isa/semiring_table.h"

namespace tessera::kernels {

/// The operands of one semiring product and its result [m, n], with steps in elements.
struct SemiringMatrices {
  SemiringOperand a;        // [m, k]
  SemiringOperand b;        // [n, k]
  SemiringOperand weights;  // for the entry's side; not read if it has none
  std::array<std::byte*, kMostSemiringStates> c = {};  // of each state of the entry
  int64_t row_step = 0;
  int64_t column_step = 0;
};

/// A semiring product of matrices, block by block of the result, with the operands of a block
/// packed into panels that stay in L2, after Goto and van de Geijn (ACM TOMS 34(3), 2008). A merge
/// over k runs over kSemiringDepth positions at a time, from first to last, and its parts are
/// merged in their order; that depends only on k. For a sum of floats over several parts, the
/// rounding loss of a block is kept beside it and added in the end, so the error does not grow with
/// their number.
///
/// Threads: any number on distinct c and workspaces.
class SemiringBlocks {
 public:
  SemiringBlocks(const SemiringEntry& entry, int64_t m, int64_t n, int64_t k)
      : entry_(entry), m_(m), n_(n), k_(k), size_(size_of(entry.type)) {}

  int64_t workspace_bytes() const;
  /// Multiplies; merges with c if `accumulate`. REQUIRES m, n, k > 0.
  void multiply(const SemiringMatrices& matrices, bool accumulate,
                std::byte* workspace) const noexcept;

 private:
  struct Run;
  struct Block;

  int64_t block_rows() const;
  int64_t block_columns() const;
  int64_t panel_bytes(int64_t lines) const;
  int64_t weights_bytes() const;
  int64_t tile_bytes() const;
  int64_t states_bytes() const;  // of a tile
  bool keeps_lost() const;
  int64_t band_rows() const;  // that b is packed for
  int64_t lost_bytes() const;

  SemiringEntry entry_;
  int64_t m_;
  int64_t n_;
  int64_t k_;
  int64_t size_;
};

}  // namespace tessera::kernels
