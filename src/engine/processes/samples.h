#pragma once

#include <cstddef>

#include "store/tile_io.h"

namespace tessera::engine {

/// Hashes a tensor's elements, for a large one those at places all over it: data that differ only
/// elsewhere are not told apart. Errors: those of reading.
size_t hash_of_samples(const store::TileSource& source);

}  // namespace tessera::engine
