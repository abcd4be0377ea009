#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Computes one tile of a semiring product: for every row r and column j,
///   c[r, j] = merge(c[r, j], merge over d of of_join(join(a[d, r], b[d, j])))
/// and without c[r, j] itself where `adds_to_c` is false.
///
/// a: [depth, rows], b: [depth, columns], both dense; c: [rows, columns], its rows `c_step`
/// elements apart. depth > 0. The merge over d runs from the first to the last.
using SemiringTile = void (*)(const void* a, const void* b, int64_t depth, void* c, int64_t c_step,
                              bool adds_to_c) noexcept;

/// A pair of functions that tiles are compiled for. Every join in the table is commutative.
struct SemiringEntry {
  const char* join = nullptr;
  const char* of_join = nullptr;  // abs or square of the join; null: the join itself
  const char* merge = nullptr;
  DType type = DType::f32;  // of operands and result; a compute type
  int64_t rows = 0;
  int64_t columns = 0;
  SemiringTile tile = nullptr;
  /// A faster tile where no joined value is NaN or -0; `tile` itself where there is none.
  SemiringTile ordinary_tile = nullptr;
};

/// The tiles of an instruction set.
std::span<const SemiringEntry> semiring_entries(Isa isa);

}  // namespace tessera::kernels
