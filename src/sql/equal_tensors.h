#pragma once

#include <cstddef>
#include <vector>

#include "sql/query.h"

namespace tessera::sql {

/// The relation with the row numbers of these columns of tensors such that two are the same where
/// the tensors are equal, element by element: NaN is equal to NaN, and 0 to -0. SQLite then
/// compares tensors as it compares numbers. This computes the tensors, and reads each once.
RelationPtr with_equal_rows(const RelationPtr& relation, const std::vector<size_t>& columns,
                            QueryCompiler& compiler);

/// The same of all its columns of tensors.
RelationPtr with_equal_rows(const RelationPtr& relation, QueryCompiler& compiler);

}  // namespace tessera::sql
