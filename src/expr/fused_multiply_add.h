#pragma once

#include <immintrin.h>

#include "expr/function_code.h"

namespace tessera::expr::TESSERA_ISA {

/// Computes a * b + c, rounded once, of vectors or single elements.
template <class T>
inline T fused_multiply_add(T a, T b, T c) {
  if constexpr (Batch<T> && sizeof(T) == 64) {  // xsimd's fma rounds twice for AVX-512
    if constexpr (std::is_same_v<typename T::value_type, float>) {
      return _mm512_fmadd_ps(a, b, c);
    } else {
      return _mm512_fmadd_pd(a, b, c);
    }
  } else {
    using std::fma;
    return fma(a, b, c);
  }
}

}  // namespace tessera::expr::TESSERA_ISA
