#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

/// Vectors of the machine that the bench is compiled on, as its loops use them. Loops over lanes
/// are what the compiler makes single instructions of.
namespace tessera::bench {

#ifdef __AVX512F__
constexpr size_t kVectorBytes = 64;
#else
constexpr size_t kVectorBytes = 32;
#endif

template <class T>
struct VectorOf {
  using Aligned [[gnu::vector_size(kVectorBytes), gnu::may_alias]] = T;
  using Loose [[gnu::vector_size(kVectorBytes), gnu::may_alias, gnu::aligned(4)]] = T;
};
template <class T>
using Vector = typename VectorOf<T>::Aligned;

template <class T>
constexpr size_t kLanes = kVectorBytes / sizeof(T);

template <class T>
Vector<T> load(const T* from) {
  return *reinterpret_cast<const typename VectorOf<T>::Loose*>(from);
}
template <class T>
void store(T* to, Vector<T> value) {
  *reinterpret_cast<typename VectorOf<T>::Loose*>(to) = value;
}
template <class T>
Vector<T> all(T value) {
  return value - Vector<T>{};
}

/// Past the caches. REQUIRES an aligned address.
template <class T>
void stream(T* to, Vector<T> value) {
#ifdef __AVX512F__
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)value);
#else
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)value);
#endif
}

template <class T>
Vector<T> larger(Vector<T> a, Vector<T> b) {
  return a > b ? a : b;
}
template <class T>
Vector<T> smaller(Vector<T> a, Vector<T> b) {
  return a < b ? a : b;
}
template <class T>
Vector<T> absolute(Vector<T> a) {
  return a < 0 ? -a : a;
}

/// The function of all lanes.
template <class T, class Function>
T folded(Vector<T> vector, Function function) {
  T result = vector[0];
  for (size_t lane = 1; lane < kLanes<T>; ++lane) {
    result = function(result, static_cast<T>(vector[lane]));
  }
  return result;
}

/// exp in f32 to 2 ulp.
inline Vector<float> exponential(Vector<float> x) {
  using Integers [[gnu::vector_size(kVectorBytes)]] = int32_t;
  x = smaller<float>(x, all(88.3F));
  x = larger<float>(x, all(-87.3F));
  const Vector<float> magic = all(12582912.F);
  const Vector<float> n = x * 1.44269504F + magic - magic;
  const Vector<float> r = x - n * 0.693359375F + n * 2.12194440e-4F;
  Vector<float> p = all(1.9875691500e-4F);
  for (const float c :
       {1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F, 5.0000001201e-1F}) {
    p = p * r + c;
  }
  p = p * (r * r) + (r + 1.F);
  const Integers power = (__builtin_convertvector(n, Integers) + 127) << 23;
  return p * (Vector<float>)power;
}

}  // namespace tessera::bench
