#pragma once

#include <cstdint>

namespace tessera::kernels {

constexpr int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// The bytes that an array takes in a workspace: up to the next multiple of 64, so that what
/// follows is aligned as the workspace is.
constexpr int64_t aligned_bytes(int64_t bytes) {
  return round_up(bytes, 64);
}

}  // namespace tessera::kernels
