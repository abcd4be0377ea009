#pragma once

#include <pg_query.h>

#include "frontend/sql/text/finding.h"
#include "frontend/sql/text/rewriting.h"
#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

/// The byte at which PostgreSQL found an error; it counts characters from 1, and 0 where it says no
/// place.
int64_t byte_of(const PgQueryError& error, const std::string& text);

/// PostgreSQL's message at its place in the user's text, with what may help. `statement` is what
/// was read.
Diagnostic to_diagnostic(const PgQueryError& error, const Rewriting& rewriting,
                         const Tokens& tokens, TokenRange statement);

}  // namespace tessera::frontend::sql
