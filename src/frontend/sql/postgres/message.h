#pragma once

#include <pg_query.h>

#include "frontend/sql/text/finding.h"
#include "frontend/sql/text/rewriting.h"
#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

/// Returns the byte of an error of PostgreSQL, which counts characters from 1 and has 0 for errors
/// without a place.
int64_t byte_of(const PgQueryError& error, const std::string& text);

/// Returns PostgreSQL's message at its place in the user's text, with a help if there is one.
/// `statement` is the one that was parsed.
Diagnostic to_diagnostic(const PgQueryError& error, const Rewriting& rewriting,
                         const Tokens& tokens, TokenRange statement);

}  // namespace tessera::frontend::sql
