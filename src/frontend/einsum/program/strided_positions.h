#pragma once

#include <cstdint>
#include <optional>

namespace tessera::frontend {

/// Positions of a mode: begin + stride * n, for n below length.
struct StridedPositions {
  int64_t begin = 0;
  int64_t stride = 1;  // not 0
  int64_t length = 0;
};

/// A bound beyond which positions leave no room for arithmetic.
inline constexpr int64_t kMostStridedPosition = int64_t{1} << 60;

/// Returns the lowest position. REQUIRES that there are positions, none of them beyond
/// kMostStridedPosition.
int64_t lowest(const StridedPositions& at);
int64_t highest(const StridedPositions& at);

/// Returns the lowest position that both have (the Chinese remainder theorem); nothing if there is
/// none.
std::optional<int64_t> first_common(const StridedPositions& a, const StridedPositions& b);

}  // namespace tessera::frontend
