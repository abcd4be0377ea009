#pragma once

#include "frontend/sql/syntax.h"
#include "frontend/sql/text/rewriting.h"
#include "frontend/sql/text/tokens.h"
#include "frontend/sql/text/versions.h"

namespace tessera::frontend::sql {

/// One statement, read by PostgreSQL's parser after the edits, which took out the versions. Marks
/// those that stand where one may stand. Throws a Finding.
Statement read_statement(const Tokens& tokens, TokenRange range, std::vector<Edit> edits,
                         Versions& versions);

/// An expression that stands alone, as an index does. Throws a Finding.
ExpressionPtr read_expression(const Tokens& tokens, TokenRange range);

/// What stands behind EXPLAIN. REQUIRES a range that begins with this word. Throws a Finding.
std::vector<Copy::Option> read_explain_options(const Tokens& tokens, TokenRange range);

}  // namespace tessera::frontend::sql
