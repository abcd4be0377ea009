#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/tile_type.h"

namespace tessera::plan {

/// More bytes than any machine has; tiles and workspaces of a plan stay below 64 bits in sum.
inline constexpr int64_t kMostBytesOfTask = int64_t{1} << 50;

/// Returns the errors in the type of a tile: impossible extents, origins and counts, and bytes that
/// do not fit 64 bits.
std::vector<std::string> verify_tile(const TileType& type);

/// True if one box lies in another, without overflow for any numbers.
bool is_inside(const Box& part, const Box& whole);

}  // namespace tessera::plan
