#pragma once

#include "frontend/sql/syntax.h"

namespace tessera::sql {

/// True if a CASE asks queries for what it gives.
bool asks_in_results(const frontend::sql::Case& node);

}  // namespace tessera::sql
