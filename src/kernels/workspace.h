#pragma once

#include <cstdint>

namespace tessera::kernels {

/// The bytes that an array takes in a workspace: up to the next multiple of 64, so that what
/// follows is aligned as the workspace is.
constexpr int64_t aligned_bytes(int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace tessera::kernels
