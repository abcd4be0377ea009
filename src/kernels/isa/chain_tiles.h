#pragma once

#include "expr/fused_multiply_add.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/chain_table.h"
#include "kernels/isa/vectors.h"

/// The register tiles of matrix products in chains. Compiled once per instruction set, as the block
/// loops are; the rounding of a fused multiply-add is the same on all of them.
namespace tessera::kernels::TESSERA_ISA {

#ifdef TESSERA_ISA_BATCHES
/// Of 32 registers 28 hold sums, of 16 12.
inline constexpr int64_t kChainRows = xsimd::batch<float>::size == 16 ? 14 : 6;
inline constexpr int64_t kChainBatches = 2;
#else
inline constexpr int64_t kChainRows = 4;
inline constexpr int64_t kChainBatches = 4;
#endif

template <class T>
struct ChainTileOf {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kColumns = kChainBatches * Lanes::kCount;

  static void run(const void* a, const void* b, int64_t depth, void* c, int64_t c_step,
                  bool continues) noexcept {
    const T* left = static_cast<const T*>(a);
    const T* right = static_cast<const T*>(b);
    Vector sums[kChainRows][kChainBatches];
#pragma GCC unroll 16
    for (int64_t row = 0; row < kChainRows; ++row) {
#pragma GCC unroll 4
      for (int64_t batch = 0; batch < kChainBatches; ++batch) {
        const T* const from = static_cast<const T*>(c) + row * c_step + batch * Lanes::kCount;
        sums[row][batch] = continues ? Lanes::load(from) : Vector(T(0));
      }
    }
    for (int64_t d = 0; d < depth; ++d, left += kChainRows, right += kColumns) {
      Vector columns[kChainBatches];
#pragma GCC unroll 4
      for (int64_t batch = 0; batch < kChainBatches; ++batch) {
        columns[batch] = Lanes::load(right + batch * Lanes::kCount);
      }
#pragma GCC unroll 16
      for (int64_t row = 0; row < kChainRows; ++row) {
        const Vector repeated(left[row]);
#pragma GCC unroll 4
        for (int64_t batch = 0; batch < kChainBatches; ++batch) {
          sums[row][batch] =
              expr::TESSERA_ISA::fused_multiply_add(repeated, columns[batch], sums[row][batch]);
        }
      }
    }
#pragma GCC unroll 16
    for (int64_t row = 0; row < kChainRows; ++row) {
#pragma GCC unroll 4
      for (int64_t batch = 0; batch < kChainBatches; ++batch) {
        T* const to = static_cast<T*>(c) + row * c_step + batch * Lanes::kCount;
        Lanes::store(to, sums[row][batch]);
      }
    }
  }
};

template <class T>
constexpr ChainEntry chain_entry() {
  return {kDType<T>, kChainRows, ChainTileOf<T>::kColumns, &ChainTileOf<T>::run};
}

}  // namespace tessera::kernels::TESSERA_ISA
