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

/// Whether a text ends within a quote or a comment, so that what is behind it is no SQL yet.
bool is_quote_open(const std::string& text);

/// What a name in a statement may be that of.
enum class NameKind : uint8_t { table, column, function };

/// Where a statement of a text says a name, `x` or `t.x`: the first place where such a thing
/// stands, else the first at all. For errors of who knows the name alone. REQUIRES text in UTF-8.
std::optional<SourceSpan> find_name(const std::string& text, SourceSpan statement,
                                    const std::string& name, NameKind kind);

}  // namespace tessera::frontend::sql
