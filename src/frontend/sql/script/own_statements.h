#pragma once

#include <optional>

#include "frontend/sql/syntax.h"
#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

/// Reads any statement. Throws a Finding.
Statement read_any_statement(const Tokens& tokens, TokenRange range);

/// Reads EXECUTE and MATERIALIZE, which PostgreSQL's grammar lacks, also after EXPLAIN; nothing for
/// other statements. Throws a Finding.
std::optional<Statement> read_own_statement(const Tokens& tokens, TokenRange range);

}  // namespace tessera::frontend::sql
