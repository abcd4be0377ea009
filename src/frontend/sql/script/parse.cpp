#include "frontend/sql/parse.h"

#include <utility>
#include <variant>

#include "base/utf8.h"
#include "frontend/sql/postgres/scan.h"
#include "frontend/sql/script/nesting.h"
#include "frontend/sql/script/own_statements.h"
#include "frontend/sql/text/finding.h"
#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

namespace {

/// Returns the first byte that is no text: zero, or no part of a UTF-8 character.
std::optional<int64_t> first_bad_byte(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = length_of_character(text, at);
    if (length == 0 || text[at] == '\0') {
      return static_cast<int64_t>(at);
    }
    at += length;
  }
  return std::nullopt;
}

std::variant<Tokens, Diagnostic> tokens_of(const std::string& text) {
  if (const auto byte = first_bad_byte(text)) {
    return Diagnostic{ErrorKind::user, {*byte, *byte + 1}, "this byte is no text in UTF-8", "", {}};
  }
  auto scanned = scan(text);
  if (auto* error = std::get_if<Diagnostic>(&scanned)) {
    return std::move(*error);
  }
  return Tokens(text, std::get<std::vector<Token>>(std::move(scanned)));
}

/// Returns the statements between semicolons; one in parentheses ends no statement.
std::vector<TokenRange> statements_in(const Tokens& tokens) {
  std::vector<TokenRange> statements;
  for (size_t first = 0; first < tokens.size();) {
    const size_t end = tokens.find(first, tokens.size(), ";");
    if (end > first) {
      statements.push_back({first, end});
    }
    first = end + 1;
  }
  return statements;
}

bool has_open_bracket(const Tokens& tokens, size_t last) {
  for (size_t index = 0; index < last; ++index) {
    const bool is_opening = tokens.is(index, "(") || tokens.is(index, "[");
    if (is_opening && tokens.match(index) == Tokens::kNone) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<std::vector<Statement>> parse(const SourceText& source) {
  Diagnostics findings(source);
  const std::variant<Tokens, Diagnostic> scanned = tokens_of(source.text);
  if (const auto* error = std::get_if<Diagnostic>(&scanned)) {
    findings.add(*error);
    return findings;
  }
  const Tokens& tokens = std::get<Tokens>(scanned);
  std::vector<Statement> statements;
  for (const TokenRange range : statements_in(tokens)) {
    try {
      check_nesting(tokens, range);
      statements.push_back(read_any_statement(tokens, range));
    } catch (const Finding& finding) {
      findings.add(finding.diagnostic);
    }
  }
  if (!findings.empty()) {
    return findings;
  }
  return statements;
}

std::optional<int64_t> end_of_statement(const std::string& text) {
  const std::variant<Tokens, Diagnostic> scanned = tokens_of(text);
  if (const auto* error = std::get_if<Diagnostic>(&scanned)) {
    // An open quote may be closed by the next line; parse() reports any other error.
    if (error->message.starts_with("unterminated")) {
      return std::nullopt;
    }
    const size_t end = text.find(';', static_cast<size_t>(error->span.begin));
    return end == std::string::npos ? std::nullopt
                                    : std::optional<int64_t>(static_cast<int64_t>(end) + 1);
  }
  const Tokens& tokens = std::get<Tokens>(scanned);
  const size_t end = tokens.find(0, tokens.size(), ";");
  const bool is_complete = end < tokens.size() && !has_open_bracket(tokens, end);
  return is_complete ? std::optional<int64_t>(tokens[end].span.end) : std::nullopt;
}

}  // namespace tessera::frontend::sql
