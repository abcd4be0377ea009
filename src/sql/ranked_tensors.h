#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sql/query.h"

namespace tessera::sql {

/// The relation with a column behind the others for each of these columns of tensors, `v:rank`, in
/// which SQLite orders the tensors: element by element, the first that differs decides, as
/// PostgreSQL orders arrays. NaN is greater than all numbers and equal to itself; complex numbers
/// go by their real parts first; equal tensors have one rank. This computes the tensors.
RelationPtr with_ranks(const RelationPtr& relation, const std::vector<size_t>& columns,
                       QueryCompiler& compiler);

/// The name of the column with ranks of another.
std::string rank_of(const std::string& key);

}  // namespace tessera::sql
