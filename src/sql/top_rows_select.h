#pragma once

#include <optional>

#include "sql/bound_select.h"
#include "sql/rank_bounds.h"

namespace tessera::sql {

/// The SELECT over the rows alone that are within the bound. Its FROM is read as a product of
/// tables: for each row of the product the program computes the numbers that order the window, and
/// the first rows of each partition are chosen as these come, so SQLite sees no other rows. Equal
/// rows are in the order of the product. Nothing if the window is not ordered by numbers of
/// tensors, a partition or a plain key is of several factors, or the rows are too many to keep.
std::optional<BoundSelect> with_top_rows(const BoundSelect& select, const RankedWindow& window,
                                         QueryCompiler& compiler);

}  // namespace tessera::sql
