#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

/// Registers of bytes, in lanes of 16, for moving data. Compiled once per instruction set.
namespace tessera::kernels::TESSERA_ISA {

/// An element of 16 bytes.
struct Wide {
  uint64_t low, high;
};

template <int64_t kBytes>
struct Register;

/// The interleaving of two registers, lane by lane: elements of T of both in turn, from the lower
/// half of each lane or from the upper one.
template <>
struct Register<16> {
  using Type = __m128i;
  static Type load(const std::byte* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void store(std::byte* to, Type value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
  }
  static void stream(std::byte* to, Type value) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), value);
  }
  static constexpr size_t kLanes = 1;
  /// Lane l of register r goes to lane r of register l.
  static void transpose_lanes(Type (&/*registers*/)[kLanes]) {}
  template <class T>
  static Type low(Type a, Type b) {
    switch (sizeof(T)) {
      case 1:
        return _mm_unpacklo_epi8(a, b);
      case 2:
        return _mm_unpacklo_epi16(a, b);
      case 4:
        return _mm_unpacklo_epi32(a, b);
      default:
        return _mm_unpacklo_epi64(a, b);
    }
  }
  template <class T>
  static Type high(Type a, Type b) {
    switch (sizeof(T)) {
      case 1:
        return _mm_unpackhi_epi8(a, b);
      case 2:
        return _mm_unpackhi_epi16(a, b);
      case 4:
        return _mm_unpackhi_epi32(a, b);
      default:
        return _mm_unpackhi_epi64(a, b);
    }
  }
};

#ifdef __AVX2__
template <>
struct Register<32> {
  using Type = __m256i;
  static Type load(const std::byte* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store(std::byte* to, Type value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static void stream(std::byte* to, Type value) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static constexpr size_t kLanes = 2;
  static void transpose_lanes(Type (&registers)[kLanes]) {
    const Type low = _mm256_permute2x128_si256(registers[0], registers[1], 0x20);
    registers[1] = _mm256_permute2x128_si256(registers[0], registers[1], 0x31);
    registers[0] = low;
  }
  template <class T>
  static Type low(Type a, Type b) {
    switch (sizeof(T)) {
      case 1:
        return _mm256_unpacklo_epi8(a, b);
      case 2:
        return _mm256_unpacklo_epi16(a, b);
      case 4:
        return _mm256_unpacklo_epi32(a, b);
      default:
        return _mm256_unpacklo_epi64(a, b);
    }
  }
  template <class T>
  static Type high(Type a, Type b) {
    switch (sizeof(T)) {
      case 1:
        return _mm256_unpackhi_epi8(a, b);
      case 2:
        return _mm256_unpackhi_epi16(a, b);
      case 4:
        return _mm256_unpackhi_epi32(a, b);
      default:
        return _mm256_unpackhi_epi64(a, b);
    }
  }
};
#endif

#ifdef __AVX512BW__
template <>
struct Register<64> {
  using Type = __m512i;
  static Type load(const std::byte* from) { return _mm512_loadu_si512(from); }
  static void store(std::byte* to, Type value) { _mm512_storeu_si512(to, value); }
  static void stream(std::byte* to, Type value) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value);
  }
  static constexpr size_t kLanes = 4;
  static void transpose_lanes(Type (&registers)[kLanes]) {
    const Type low01 = _mm512_shuffle_i64x2(registers[0], registers[1], 0x44);
    const Type high01 = _mm512_shuffle_i64x2(registers[0], registers[1], 0xee);
    const Type low23 = _mm512_shuffle_i64x2(registers[2], registers[3], 0x44);
    const Type high23 = _mm512_shuffle_i64x2(registers[2], registers[3], 0xee);
    registers[0] = _mm512_shuffle_i64x2(low01, low23, 0x88);
    registers[1] = _mm512_shuffle_i64x2(low01, low23, 0xdd);
    registers[2] = _mm512_shuffle_i64x2(high01, high23, 0x88);
    registers[3] = _mm512_shuffle_i64x2(high01, high23, 0xdd);
  }
  template <class T>
  static Type low(Type a, Type b) {
    switch (sizeof(T)) {
      case 1:
        return _mm512_unpacklo_epi8(a, b);
      case 2:
        return _mm512_unpacklo_epi16(a, b);
      case 4:
        return _mm512_unpacklo_epi32(a, b);
      default:
        return _mm512_unpacklo_epi64(a, b);
    }
  }
  template <class T>
  static Type high(Type a, Type b) {
    switch (sizeof(T)) {
      case 1:
        return _mm512_unpackhi_epi8(a, b);
      case 2:
        return _mm512_unpackhi_epi16(a, b);
      case 4:
        return _mm512_unpackhi_epi32(a, b);
      default:
        return _mm512_unpackhi_epi64(a, b);
    }
  }
};
#endif

#if defined(__AVX512BW__)
constexpr int64_t kRegisterBytes = 64;
#elif defined(__AVX2__)
constexpr int64_t kRegisterBytes = 32;
#else
constexpr int64_t kRegisterBytes = 16;
#endif

}  // namespace tessera::kernels::TESSERA_ISA
