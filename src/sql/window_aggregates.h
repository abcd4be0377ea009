#pragma once

#include <vector>

#include "sql/level.h"
#include "sql/query.h"

namespace tessera::sql {

/// Says what aggregates OVER windows make of tensors, for the rows of a key table, and gives the
/// table with a column for each: the number of the result that a row has.
///
/// SQLite tells the ends of every row's frame. Where all frames begin where their partition does,
/// the aggregate is a scan that begins anew with each partition; where all end there, one from
/// behind. Else every frame is a group of the rows within it, so that costs as many rows as the
/// frames have.
RelationPtr add_window_aggregates(const RelationPtr& table,
                                  const std::vector<Level::WindowAggregate>& aggregates,
                                  QueryCompiler& compiler);

}  // namespace tessera::sql
