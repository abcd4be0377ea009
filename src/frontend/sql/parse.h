#pragma once

#include <vector>

#include "base/diagnostic.h"
#include "frontend/sql/syntax.h"

namespace tessera::frontend::sql {

/// Parses the statements of a script, in order. PostgreSQL's own parser reads it; versions (`W[i -
/// 1][j]`), EXECUTE and MATERIALIZE are extensions.
///
/// Findings: PostgreSQL's message at its place; `unsupported` for syntax of its grammar that is not
/// supported here.
Result<std::vector<Statement>> parse(const SourceText& source);

/// Returns the end of the first statement of a text, after its semicolon; nothing if it is not
/// complete yet, because a quote, a comment or a parenthesis is open, or no semicolon has come. For
/// a shell that reads line by line.
std::optional<int64_t> end_of_statement(const std::string& text);

/// True if a text ends inside a quote or a comment, so that its continuation is no SQL yet.
bool is_quote_open(const std::string& text);

/// The kind of thing that a name in a statement refers to.
enum class NameKind : uint8_t { table, column, function };

/// Returns the place of a name, `x` or `t.x`, in a statement of a text: the first place that can
/// hold such a thing, else the first at all. For errors that know only the name. REQUIRES text in
/// UTF-8.
std::optional<SourceSpan> find_name(const std::string& text, SourceSpan statement,
                                    const std::string& name, NameKind kind);

}  // namespace tessera::frontend::sql
