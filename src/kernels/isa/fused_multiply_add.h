#pragma once

#include <cmath>

#include "kernels/isa/vectors.h"

/// a * b + c, rounded once, of vectors or single elements. Compiled once per instruction set.
namespace tessera::kernels::TESSERA_ISA {

#ifdef TESSERA_ISA_BATCHES
#ifdef __AVX512F__
// xsimd's fma rounds twice for AVX-512.
inline xsimd::batch<float> fused_multiply_add(xsimd::batch<float> a, xsimd::batch<float> b,
                                              xsimd::batch<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
inline xsimd::batch<double> fused_multiply_add(xsimd::batch<double> a, xsimd::batch<double> b,
                                               xsimd::batch<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
#else
template <class Vector>
Vector fused_multiply_add(Vector a, Vector b, Vector c) {
  return xsimd::fma(a, b, c);
}
#endif
#else
template <class T>
T fused_multiply_add(T a, T b, T c) {
  return std::fma(a, b, c);
}
#endif

}  // namespace tessera::kernels::TESSERA_ISA
