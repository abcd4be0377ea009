#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cpu/gemm/bf16_sizes.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

/// The product of parts by the tiles of AMX: four tiles of 16 x 16 sums stay in the unit while
/// products of part p of a and part q of b with p + q < num_parts are added to them, 32 positions
/// of k at a time, so that a loaded part serves several products.
///
/// An element is the same in every tile. For every 512 positions of k it sums the small products
/// first, then those of the leading parts, each time 32 positions before they come to the sum; then
/// it adds that to c. The error of rounding so grows with k / 512, and small products, which have
/// more roundings, do not add to it.
///
/// The parts of both operands are laid out first, in the order in which tiles are loaded, filled up
/// with zeros:
///
///   a: [m / 16, k / 32, part, 16 rows, 32 of k]
///   b: [n / 16, k / 32, part, 16 pairs of k, 16 columns, 2 of k]
class Bf16Tiles {
 public:
  explicit Bf16Tiles(const Bf16Sizes& sizes) : sizes_(sizes) {}

  /// Counts the products of numbers that are computed, padding included.
  static double products(int64_t m, int64_t n, int64_t k);

  int64_t workspace_bytes() const;

  /// Adds to c, or overwrites it. Returns false, with c untouched, if parts would not do
  /// (are_safe). Threads: any number on distinct c and workspaces. REQUIRES Bf16Unit::amx.
  bool multiply(const Rows& a, const Rows& b, float* c, std::byte* workspace) const noexcept;

 private:
  struct Workspace {
    std::span<uint16_t> a;
    std::span<uint16_t> b;
  };
  Workspace carved(Carver& carver) const;

  Bf16Sizes sizes_;
};

}  // namespace tessera::kernels
