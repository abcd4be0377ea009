#pragma once

#include <string>

#include "database/sqlite.h"
#include "types/tile_view.h"

namespace tessera::sql {

/// A scalar as text: the shortest that reads back as the same number; empty for NULL.
std::string value_text(const database::Value& value);

/// A dense tensor as PostgreSQL writes arrays: `{{1,2},{3,4}}`.
std::string array_text(const TileView& tensor);

/// A field of a CSV file, in quotes where it has to be.
std::string csv_field(const std::string& text, char delimiter);

}  // namespace tessera::sql
