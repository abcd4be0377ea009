#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/tile_type.h"

namespace tessera::plan {

/// More than any machine has, and the tiles and workspaces of a plan stay below 64 bits in sum.
inline constexpr int64_t kMostBytesOfTask = int64_t{1} << 50;

/// What is wrong with the type of a tile: extents, origins and counts that cannot be, bytes that do
/// not fit 64 bits.
std::vector<std::string> verify_tile(const TileType& type);

/// Whether one box lies in another, without overflow whatever its numbers are.
bool is_inside(const Box& part, const Box& whole);

}  // namespace tessera::plan
