#pragma once

#include "sql/bound_select.h"

namespace tessera::sql {

/// Conditions of WHERE and of joins in which tensors of two tables are compared as a whole, `x.v =
/// y.w`, as ones of numbers, the same where tensors are equal: each tensor is read once, and no
/// pair of rows is looked at. Others stay. This computes the tensors.
void compare_by_value(BoundSelect& select, QueryCompiler& compiler);

}  // namespace tessera::sql
