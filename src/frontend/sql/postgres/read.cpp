#include "frontend/sql/postgres/read.h"

#include "frontend/sql/postgres/reading.h"
#include "frontend/sql/postgres/tree.h"

namespace tessera::frontend::sql {

namespace {

/// Returns the one statement of a part.
const PgQuery__Node& only_statement(const ParsedPart& part, SourceSpan place) {
  if (part.tree->n_stmts != 1) {
    fail(place, "one statement is expected here");
  }
  return *part.tree->stmts[0]->stmt;
}

}  // namespace

Statement read_statement(const Tokens& tokens, TokenRange range, std::vector<Edit> edits,
                         Versions& versions) {
  const ParsedPart part = parse_part(tokens, {range, std::move(edits)});
  const Reading reading{tokens, range, part.rewriting, versions};
  return to_statement(reading, only_statement(part, reading.whole()));
}

ExpressionPtr read_expression(const Tokens& tokens, TokenRange range) {
  const ParsedPart part = parse_part(tokens, {range, {}, "SELECT (", ")"});
  Versions versions;
  const Reading reading{tokens, range, part.rewriting, versions};
  const PgQuery__Node& statement = only_statement(part, reading.whole());
  return to_expression(reading, *statement.select_stmt->target_list[0]->res_target->val);
}

std::vector<Copy::Option> read_explain_options(const Tokens& tokens, TokenRange range) {
  const ParsedPart part = parse_part(tokens, {range, {}, "", " SELECT 1"});
  Versions versions;
  const Reading reading{tokens, range, part.rewriting, versions};
  const PgQuery__ExplainStmt& explain = *only_statement(part, reading.whole()).explain_stmt;
  return to_options(reading, explain.options, explain.n_options);
}

}  // namespace tessera::frontend::sql
