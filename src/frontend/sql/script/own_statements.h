#pragma once

#include <optional>

#include "frontend/sql/syntax.h"
#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

/// Any statement. Throws a Finding.
Statement read_any_statement(const Tokens& tokens, TokenRange range);

/// EXECUTE and MATERIALIZE, which PostgreSQL's grammar has not, also behind EXPLAIN; nothing where
/// it is none of them. Throws a Finding.
std::optional<Statement> read_own_statement(const Tokens& tokens, TokenRange range);

}  // namespace tessera::frontend::sql
