#pragma once

#include <cstdint>
#include <cstdlib>

/// The order of reading rows that are merged element by element. Measured by reading 256 MB on a
/// Zen 4, as multiples of reading in order: rows of 32 KiB by 8 at once 1.05, by 16 1.15, one by
/// one 1.8; rows of 2 KiB, each where the one before ends, by 8 at once 1.6, one by one 1.15.
namespace tessera::kernels::TESSERA_ISA {

/// Returns as many rows at once as processors prefetch by themselves; one if several are in a page,
/// because they are one stream.
inline int64_t rows_at_once(const void* const* rows, int64_t num_rows) {
  constexpr int64_t kAtOnce = 8;
  constexpr int64_t kPage = 4096;
  if (num_rows < 2) {
    return kAtOnce;
  }
  const auto step = reinterpret_cast<intptr_t>(rows[num_rows - 1]) -
                    reinterpret_cast<intptr_t>(rows[num_rows - 2]);
  return std::abs(step) < kPage ? 1 : kAtOnce;
}

/// Prefetches into the second cache the part of a row soon after `count` elements.
template <class T>
void fetch_next(const T* from, int64_t count) {
  constexpr int kSecondCache = 2;
  constexpr int64_t kAheadInRow = 1024;
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
#pragma GCC unroll 8
  for (int64_t line = 0; line < count; line += 64 / kSize) {
    __builtin_prefetch(from + kAheadInRow / kSize + line, 0, kSecondCache);
  }
}

}  // namespace tessera::kernels::TESSERA_ISA
