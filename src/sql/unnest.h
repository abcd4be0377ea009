#pragma once

#include "sql/bound_select.h"

namespace tessera::sql {

/// Whether a call is unnest: a row for each position of a tensor's first mode.
bool is_unnest(const frontend::sql::Call& call);

/// `unnest(v) WITH ORDINALITY AS u(x, i)` in FROM, behind the tables that it reads: a table of
/// positions, whose x is `v[i]`. Errors: `user` where v is no tensor.
frontend::sql::FromItemPtr unnest_table(const frontend::sql::FromItem& item, Scope& scope,
                                        QueryCompiler& compiler);

/// Replaces `unnest(v)` among the targets of a SELECT without groups by what such a table gives;
/// several stand side by side. Errors: `user` where they have different numbers of positions.
void unnest_targets(BoundSelect& select, QueryCompiler& compiler);

}  // namespace tessera::sql
