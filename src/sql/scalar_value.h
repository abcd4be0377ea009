#pragma once

#include <cstdint>

#include "database/sqlite.h"
#include "types/tile_view.h"

namespace tessera::sql {

/// An element of a dense tensor as SQLite has it: an integer of truth values and of integers that
/// i64 holds, else a float, which may be NaN (database/not_a_number.h); complex numbers are texts.
database::Value scalar_value(const TileView& tensor, int64_t position);

}  // namespace tessera::sql
