#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Computes one tile of a matrix product in chains (leaf_order.h): for every row r and column j,
///   acc = +0, or c[r, j] if the tile `continues` chains
///   for d in 0..depth-1: acc = fma(a[d, r], b[d, j], acc)
///   c[r, j] = acc
///
/// a: [depth, rows], b: [depth, columns], both dense; c: [rows, columns], its rows `c_step`
/// elements apart. Threads: any number on distinct c.
/// Source: Goto and van de Geijn, ACM TOMS 34(3), 2008 (the register tile).
using ChainTile = void (*)(const void* a, const void* b, int64_t depth, void* c, int64_t c_step,
                           bool continues) noexcept;

/// The steps of factors that are not packed, in elements: a[r, d] is r * a_row + d * a_depth behind
/// a, and rows of b and of c are b_depth and c_row apart.
struct ChainWalk {
  int64_t a_row = 0;
  int64_t a_depth = 0;
  int64_t b_depth = 0;
  int64_t depth = 0;
  int64_t c_row = 0;
};

/// Computes the same tile from factors in place, with chains from +0 on, for one number of rows.
using InPlaceChainTile = void (*)(const void* a, const void* b, void* c,
                                  const ChainWalk& walk) noexcept;

constexpr size_t kMostChainRows = 14;

struct ChainEntry {
  DType type = DType::f32;
  int64_t rows = 0;
  int64_t columns = 0;
  ChainTile tile = nullptr;
  /// For one row, two, ..., `rows`.
  std::array<InPlaceChainTile, kMostChainRows> in_place = {};
};

/// Returns the tiles of an instruction set: f32 and f64.
std::span<const ChainEntry> chain_entries(Isa isa);

}  // namespace tessera::kernels
