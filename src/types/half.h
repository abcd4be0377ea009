#pragma once

#include <bit>
#include <cstdint>

namespace tessera {

/// Returns the f32 of an IEEE binary16 value; exact.
inline float float_from_f16_bits(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1Fu;
  const uint32_t mantissa = bits & 0x3FFu;
  if (exponent == 0x1F) {
    return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  }
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

/// Rounds an f32 to the nearest binary16, ties to even; overflow gives infinity, NaN stays a NaN.
inline uint16_t f16_bits_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude >= 0x7F800000u) {
    const uint32_t payload = magnitude > 0x7F800000u ? (0x200u | ((magnitude >> 13) & 0x3FFu)) : 0u;
    return static_cast<uint16_t>(sign | 0x7C00u | payload);
  }
  if (magnitude < 0x38800000u) {  // below the smallest normal: let f32 addition round at 2^-24
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000u));
  }
  const uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
  if (rounded >= 0x47800000u) {
    return static_cast<uint16_t>(sign | 0x7C00u);
  }
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

inline float float_from_bf16_bits(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Rounds an f32 to the nearest bf16, ties to even; NaN stays a NaN.
inline uint16_t bf16_bits_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
    return static_cast<uint16_t>((bits >> 16) | 0x40u);
  }
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

/// A stored binary16 number. Arithmetic is done in f32: convert first.
struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value) : bits(f16_bits_from_float(value)) {}
  explicit operator float() const { return float_from_f16_bits(bits); }
};

/// A stored bfloat16 number. Arithmetic is done in f32: convert first.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(bf16_bits_from_float(value)) {}
  explicit operator float() const { return float_from_bf16_bits(bits); }
};

}  // namespace tessera
