#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "frontend/sql/syntax.h"

namespace tessera::frontend::sql {

/// The statements of a script, in order. It is read by PostgreSQL's own parser; versions (`W[i -
/// 1][j]`), EXECUTE and MATERIALIZE are ours.
///
/// Findings: PostgreSQL's message at its place; `unsupported` for what its grammar takes and we do
/// not.
Result<std::vector<Statement>> parse(const SourceText& source);

/// Where the first statement of a text ends, behind its semicolon; nothing where it is not complete
/// yet, as a quote, a comment or a parenthesis is open, or no semicolon has come. For a shell that
/// reads line by line.
std::optional<int64_t> end_of_statement(const std::string& text);

}  // namespace tessera::frontend::sql
