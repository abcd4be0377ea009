#pragma once

#include <string>

#include "types/tile_view.h"

namespace tessera::cli {

/// A tensor as numpy prints arrays: rows in brackets, columns aligned, the middle of every long
/// mode left out where the tensor has more than 1000 elements. Every number is the shortest text
/// that reads back as the same value.
std::string tensor_text(const TileView& tensor);

}  // namespace tessera::cli
