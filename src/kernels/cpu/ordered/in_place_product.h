#pragma once

#include "kernels/isa/chain_table.h"

namespace tessera::kernels {

/// A matrix product of factors and a result in rows: c[r, j] = sum of a[r, d] * b[d, j], each sum
/// one chain (leaf_order.h). Columns of b and of c are neighbours; steps are in elements.
struct InPlaceProduct {
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::byte* c = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  int64_t a_row = 0;
  int64_t a_depth = 0;
  int64_t b_depth = 0;
  int64_t c_row = 0;
};

/// Returns bytes of work for a product with sums of this depth.
int64_t in_place_workspace_bytes(const ChainEntry& entry, int64_t depth);

/// Multiplies by register tiles that read the factors in place. Columns that fill no tile are
/// copied into the workspace. Threads: any number on distinct c and workspaces.
void multiply_in_place(const ChainEntry& entry, const InPlaceProduct& product,
                       std::byte* workspace) noexcept;

}  // namespace tessera::kernels
