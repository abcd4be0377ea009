#pragma once

#include "frontend/sql/syntax.h"
#include "frontend/sql/text/rewriting.h"
#include "frontend/sql/text/tokens.h"
#include "frontend/sql/text/versions.h"

namespace tessera::frontend::sql {

/// Reads one statement by PostgreSQL's parser after the edits, which took out the versions. Marks
/// those that stand in places that allow one. Throws a Finding.
Statement read_statement(const Tokens& tokens, TokenRange range, std::vector<Edit> edits,
                         Versions& versions);

/// Reads an expression that stands alone, such as an index. Throws a Finding.
ExpressionPtr read_expression(const Tokens& tokens, TokenRange range);

/// Reads the options of EXPLAIN. REQUIRES a range that begins with this word. Throws a Finding.
std::vector<Copy::Option> read_explain_options(const Tokens& tokens, TokenRange range);

}  // namespace tessera::frontend::sql
