#pragma once

#include "frontend/sql/query.h"

namespace tessera::sql {

/// Returns a query with tables of its WITH as queries in FROM, so that conditions of WHERE reach
/// them. It takes those that may have no value in some rows, and that the query reads once, beside
/// no JOIN. The same query if there are none.
frontend::sql::SelectPtr with_inlined_tables(const frontend::sql::SelectPtr& query);

}  // namespace tessera::sql
