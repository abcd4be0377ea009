#pragma once

#include <utility>

#include "expr/fused_multiply_add.h"
#include "kernels/isa/block_entries.h"
#include "kernels/isa/chain_table.h"
#include "kernels/isa/vectors.h"

/// The register tiles of matrix products in chains. Compiled once per instruction set, like the
/// block loops; the rounding of a fused multiply-add is the same on all of them.
namespace tessera::kernels::TESSERA_ISA {

#ifdef TESSERA_ISA_BATCHES
/// Sums are held in 28 of 32 registers, or in 12 of 16.
inline constexpr int64_t kChainRows = xsimd::batch<float>::size == 16 ? 14 : 6;
inline constexpr int64_t kChainBatches = 2;
#else
inline constexpr int64_t kChainRows = 4;
inline constexpr int64_t kChainBatches = 4;
#endif
static_assert(kChainRows <= static_cast<int64_t>(kMostChainRows));

template <class T>
struct ChainTileOf {
  using Lanes = Vectors<T>;
  using Vector = typename Lanes::Type;
  static constexpr int64_t kColumns = kChainBatches * Lanes::kCount;

  /// Runs kRows rows. Inlined, so that a packed tile has its steps as constants.
  template <int64_t kRows>
  [[gnu::always_inline]] static inline void run_rows(const T* left, const T* right, T* c,
                                                     const ChainWalk& walk, bool continues) {
    Vector sums[kRows][kChainBatches];
#pragma GCC unroll 16
    for (int64_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (int64_t batch = 0; batch < kChainBatches; ++batch) {
        const T* const from = c + row * walk.c_row + batch * Lanes::kCount;
        sums[row][batch] = continues ? Lanes::load(from) : Vector(T(0));
      }
    }
    for (int64_t d = 0; d < walk.depth; ++d, left += walk.a_depth, right += walk.b_depth) {
      Vector columns[kChainBatches];
#pragma GCC unroll 4
      for (int64_t batch = 0; batch < kChainBatches; ++batch) {
        columns[batch] = Lanes::load(right + batch * Lanes::kCount);
      }
#pragma GCC unroll 16
      for (int64_t row = 0; row < kRows; ++row) {
        const Vector repeated(left[row * walk.a_row]);
#pragma GCC unroll 4
        for (int64_t batch = 0; batch < kChainBatches; ++batch) {
          sums[row][batch] =
              expr::TESSERA_ISA::fused_multiply_add(repeated, columns[batch], sums[row][batch]);
        }
      }
    }
#pragma GCC unroll 16
    for (int64_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
      for (int64_t batch = 0; batch < kChainBatches; ++batch) {
        Lanes::store(c + row * walk.c_row + batch * Lanes::kCount, sums[row][batch]);
      }
    }
  }

  static void run(const void* a, const void* b, int64_t depth, void* c, int64_t c_step,
                  bool continues) noexcept {
    const ChainWalk walk{1, kChainRows, kColumns, depth, c_step};
    run_rows<kChainRows>(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c),
                         walk, continues);
  }

  template <int64_t kRows>
  static void run_in_place(const void* a, const void* b, void* c, const ChainWalk& walk) noexcept {
    run_rows<kRows>(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c), walk,
                    false);
  }

  template <size_t... kRow>
  static constexpr ChainEntry entry(std::index_sequence<kRow...> /*rows*/) {
    return {
        kDType<T>, kChainRows, kColumns, &run, {&run_in_place<static_cast<int64_t>(kRow) + 1>...}};
  }
};

template <class T>
constexpr ChainEntry chain_entry() {
  return ChainTileOf<T>::entry(std::make_index_sequence<kChainRows>{});
}

}  // namespace tessera::kernels::TESSERA_ISA
