#include "frontend/sql/script/own_statements.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "frontend/sql/postgres/read.h"
#include "frontend/sql/script/indices.h"
#include "frontend/sql/script/take_versions.h"
#include "frontend/sql/text/finding.h"

namespace tessera::frontend::sql {

namespace {

/// Fails unless the token is this word or sign.
void expect(const Tokens& tokens, size_t index, size_t last, std::string_view word) {
  if (index < last && tokens.is(index, word)) {
    return;
  }
  const SourceSpan end{tokens[last - 1].span.end, tokens[last - 1].span.end + 1};
  fail(index < last ? tokens[index].span : end, fmt::format("'{}' is expected here", word),
       "EXECUTE (FOR j IN 0...9: SELECT ...)");
}

StatementPtr share(Statement statement) {
  return std::make_shared<const Statement>(std::move(statement));
}

Materialize read_materialize(const Tokens& tokens, TokenRange range) {
  const size_t name = range.first + 1;
  if (name >= range.last || !tokens.is_name(name)) {
    fail(tokens[range.first].span, "MATERIALIZE is of a version", "MATERIALIZE W[50][j]");
  }
  if (!tokens.is(name + 1, "[")) {
    fail(tokens[name].span, "MATERIALIZE is of a version, and this table has no index here",
         "MATERIALIZE W[50][j]");
  }
  WrittenVersion version = read_version(tokens, name + 1, false);
  const size_t behind = tokens.at(version.span.end);
  if (behind < range.last) {
    fail(tokens[behind].span, "the statement should end behind the version");
  }
  auto& indices = std::get<std::vector<VersionIndex>>(version.indices);
  for (const VersionIndex& index : indices) {
    if (index.is_range) {
      fail(index.span, "MATERIALIZE is of one version",
           "EXECUTE (FOR j IN 0...9: MATERIALIZE W[j])");
    }
  }
  return {{tokens.name(name), std::move(indices), false}};
}

/// Reads `FOR name IN low...high:`; leaves `first` after it.
Execute::Loop read_loop(const Tokens& tokens, size_t& first, size_t last) {
  const size_t name = first + 1;
  if (name >= last || !tokens.is_name(name)) {
    fail(tokens[first].span, "FOR is followed by a name", "FOR j IN 0...9:");
  }
  expect(tokens, name + 1, last, "in");
  const size_t colon = tokens.find(name + 2, last, ":");
  expect(tokens, colon, last, ":");
  if (colon == name + 2) {
    fail(tokens[colon].span, "a range is expected here", "FOR j IN 0...9:");
  }
  const Range range = read_range(tokens, {name + 2, colon});
  if (range.high == nullptr) {
    fail(range.low->span, "a loop has a first and a last value", "FOR j IN 0...9:");
  }
  first = colon + 1;
  return {tokens.name(name), range.low, range.high};
}

Statement read_body(const Tokens& tokens, TokenRange range) {
  if (const size_t end = tokens.find(range.first, range.last, ";"); end != range.last) {
    if (end + 1 != range.last) {
      refuse(tokens[end].span, "more than one statement in EXECUTE", "write one EXECUTE for each");
    }
    --range.last;
  }
  constexpr std::array<std::string_view, 6> kBodies = {"select", "values", "with",
                                                       "table",  "(",      "materialize"};
  for (const std::string_view word : kBodies) {
    if (tokens.is(range.first, word)) {
      return read_any_statement(tokens, range);
    }
  }
  fail(tokens[range.first].span, "EXECUTE runs a query or MATERIALIZE");
}

/// Reads loops, whose body may stand in parentheses.
Execute read_loops(const Tokens& tokens, TokenRange range) {
  Execute execute;
  while (range.first < range.last) {
    const bool is_enclosed = tokens.is(range.first, "(") &&
                             tokens.match(range.first) == range.last - 1 &&
                             tokens.is(range.first + 1, "for");
    if (is_enclosed) {
      range = {range.first + 1, range.last - 1};
    }
    if (!tokens.is(range.first, "for")) {
      break;
    }
    execute.loops.push_back(read_loop(tokens, range.first, range.last));
  }
  if (range.first >= range.last) {
    fail(tokens[range.first - 1].span, "EXECUTE has nothing to run here");
  }
  execute.body = share(read_body(tokens, range));
  return execute;
}

Execute read_execute(const Tokens& tokens, TokenRange range) {
  expect(tokens, range.first + 1, range.last, "(");
  const size_t closing = tokens.match(range.first + 1);
  expect(tokens, closing == Tokens::kNone ? range.last : closing, range.last, ")");
  if (closing + 1 < range.last) {
    fail(tokens[closing + 1].span, "EXECUTE should end behind its parenthesis");
  }
  return read_loops(tokens, {range.first + 2, closing});
}

/// Returns the first token of the statement that EXPLAIN explains.
size_t explained(const Tokens& tokens, TokenRange range) {
  size_t first = range.first + 1;
  if (tokens.is(first, "(") && tokens.match(first) != Tokens::kNone) {
    return tokens.match(first) + 1;
  }
  while (tokens.is(first, "analyze") || tokens.is(first, "verbose")) {
    ++first;
  }
  return first;
}

/// True for EXECUTE with loops; `EXECUTE name` is PostgreSQL's, for a prepared statement.
bool is_execute(const Tokens& tokens, size_t index) {
  return tokens.is(index, "execute") && (tokens.is(index + 1, "(") || tokens.is(index + 1, "for"));
}

}  // namespace

std::optional<Statement> read_own_statement(const Tokens& tokens, TokenRange range) {
  const SourceSpan span = tokens.span(range);
  if (tokens.is(range.first, "materialize")) {
    return Statement{read_materialize(tokens, range), span};
  }
  if (is_execute(tokens, range.first)) {
    return Statement{read_execute(tokens, range), span};
  }
  if (!tokens.is(range.first, "explain")) {
    return std::nullopt;
  }
  const size_t first = explained(tokens, range);
  if (first >= range.last) {
    return std::nullopt;
  }
  std::optional<Statement> statement = read_own_statement(tokens, {first, range.last});
  if (!statement) {
    return std::nullopt;
  }
  return Statement{
      Explain{read_explain_options(tokens, {range.first, first}), share(std::move(*statement))},
      span};
}

Statement read_any_statement(const Tokens& tokens, TokenRange range) {
  if (std::optional<Statement> own = read_own_statement(tokens, range)) {
    return std::move(*own);
  }
  Changes changes = take_versions(tokens, range);
  Statement statement = read_statement(tokens, range, std::move(changes.edits), changes.versions);
  for (const auto& [place, version] : changes.versions) {
    if (!version.is_read) {
      fail(version.span, "no version may stand here",
           "versions are read in FROM, kept by MATERIALIZE and defined by CREATE TABLE W[0] AS "
           "SELECT ...");
    }
  }
  return statement;
}

}  // namespace tessera::frontend::sql
