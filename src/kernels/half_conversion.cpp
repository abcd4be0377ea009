#include "kernels/half_conversion.h"

#include <immintrin.h>

#include "types/half.h"

namespace tessera::kernels {

namespace {

// Both conversions are exactly rounded, so the instruction and the portable code give the same
// Tests for AVX2, because clang 14 cannot ask for F16C: processors with AVX2 have both.
bool has_f16c() {
  return __builtin_cpu_supports("avx2");
}

__attribute__((target("avx,f16c"))) int64_t floats_from_f16_by_eight(const uint16_t* from,
                                                                     float* to, int64_t count) {
  int64_t e = 0;
  for (; e + 8 <= count; e += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + e));
    _mm256_storeu_ps(to + e, _mm256_cvtph_ps(half));
  }
  return e;
}

__attribute__((target("avx,f16c"))) int64_t f16_from_floats_by_eight(const float* from,
                                                                     uint16_t* to, int64_t count) {
  int64_t e = 0;
  for (; e + 8 <= count; e += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + e), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + e), half);
  }
  return e;
}

}  // namespace

void floats_from_f16(const uint16_t* from, float* to, int64_t count) noexcept {
  for (int64_t e = has_f16c() ? floats_from_f16_by_eight(from, to, count) : 0; e < count; ++e) {
    to[e] = float_from_f16_bits(from[e]);
  }
}

void f16_from_floats(const float* from, uint16_t* to, int64_t count) noexcept {
  for (int64_t e = has_f16c() ? f16_from_floats_by_eight(from, to, count) : 0; e < count; ++e) {
    to[e] = f16_bits_from_float(from[e]);
  }
}

void floats_from_bf16(const uint16_t* from, float* to, int64_t count) noexcept {
  for (int64_t e = 0; e < count; ++e) {
    to[e] = float_from_bf16_bits(from[e]);
  }
}

void bf16_from_floats(const float* from, uint16_t* to, int64_t count) noexcept {
  for (int64_t e = 0; e < count; ++e) {
    to[e] = bf16_bits_from_float(from[e]);
  }
}

}  // namespace tessera::kernels
