#pragma once

#include "sql/bound_select.h"

namespace tessera::sql {

/// Compiles a SELECT. Where a part of it asks something of the rows that another part gives (how
/// many there are in each group, which tensors are equal, what stands before a row in a window), it
/// is two: a SELECT within, whose rows are made, and one over its columns.
RelationPtr compile_bound(BoundSelect select, QueryCompiler& compiler);

}  // namespace tessera::sql
