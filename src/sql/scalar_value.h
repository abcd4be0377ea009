#pragma once

#include <cstdint>

#include "database/sqlite.h"
#include "types/tile_view.h"

namespace tessera::sql {

/// An element of a dense tensor as SQLite has it: an integer of truth values and integers, else a
/// float; NULL for NaN, as SQLite has none. Errors: `unsupported` of complex numbers.
database::Value scalar_value(const TileView& tensor, int64_t position);

}  // namespace tessera::sql
