#pragma once

#include <cstdint>

namespace tessera::kernels {

/// Convert `count` neighbouring elements between a stored half type and f32, each like
/// types/half.h. Any alignment.
void floats_from_f16(const uint16_t* from, float* to, int64_t count) noexcept;
void floats_from_bf16(const uint16_t* from, float* to, int64_t count) noexcept;
void f16_from_floats(const float* from, uint16_t* to, int64_t count) noexcept;
void bf16_from_floats(const float* from, uint16_t* to, int64_t count) noexcept;

}  // namespace tessera::kernels
