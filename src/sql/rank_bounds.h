#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontend/sql/syntax.h"
#include "sql/bound_select.h"
#include "sql/top_rows.h"

namespace tessera::sql {

/// An item of FROM whose queries know which ranks a SELECT asks for: `r <= 10` in its WHERE, of a
/// column that is row_number(), rank() or dense_rank() OVER a window. The condition stays.
frontend::sql::FromItemPtr with_rank_bounds(const frontend::sql::FromItemPtr& item,
                                            const frontend::sql::Select& select);

/// A query with the tables of its WITH in FROM that nothing else reads, if it has bounds on their
/// ranks; the same query without such.
frontend::sql::SelectPtr with_bounded_tables(const frontend::sql::SelectPtr& query);

/// The bound on ranks of a SELECT whose targets are known; nothing if it has none.
std::optional<RankBound> rank_bound_of(const frontend::sql::Select& select,
                                       const std::vector<frontend::sql::Target>& targets);

/// A window of which only rows up to a rank are asked for, over the tables of a SELECT.
struct RankedWindow {
  RankFunction function;
  int64_t most = 0;
  std::vector<frontend::sql::ExpressionPtr> partition;
  std::vector<frontend::sql::OrderKey> order;
};

/// Finds the window whose ranks a bound is on, if all windows of a SELECT are that one and only
/// count rows: the rows within the bound then have the same ranks without the others. `targets` are
/// those of the SELECT within, by whose names the windows say their keys.
std::optional<RankedWindow> ranked_window(const BoundSelect& over, const RankBound& bound,
                                          const std::vector<frontend::sql::Target>& targets);

}  // namespace tessera::sql
