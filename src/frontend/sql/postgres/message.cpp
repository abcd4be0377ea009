#include "frontend/sql/postgres/message.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/suggest.h"
#include "base/utf8.h"

namespace tessera::frontend::sql {

namespace {

/// Words that open a clause or a statement: a misspelt word before an error is compared with them.
const std::array<std::string, 32> kClauseWords = {
    "ALTER",    "AS",    "BEGIN",  "BETWEEN", "COMMIT",  "COPY",        "CREATE",   "DELETE",
    "DISTINCT", "DROP",  "EXCEPT", "EXECUTE", "EXPLAIN", "FROM",        "GROUP",    "HAVING",
    "INSERT",   "INTO",  "JOIN",   "LIMIT",   "OFFSET",  "ORDER",       "ROLLBACK", "SELECT",
    "SET",      "TABLE", "UNION",  "UPDATE",  "VALUES",  "MATERIALIZE", "WHERE",    "WITH"};

std::string clause_meant_by(const Tokens& tokens, size_t index) {
  if (index >= tokens.size() || tokens[index].kind != Token::Kind::name) {
    return "";
  }
  std::string word = tokens.name(index).text;
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char one) { return one >= 'a' && one <= 'z' ? one - 'a' + 'A' : one; });
  const std::optional<std::string> meant = closest_name(word, kClauseWords);
  return meant && *meant != word ? *meant : "";
}

/// Returns the help for a syntax error at this token, which is size() at the end of the text.
std::string help_at(const Tokens& tokens, size_t index, TokenRange statement) {
  if (tokens.is(index, "[") && index > statement.first && tokens.is(index - 1, ")")) {
    return "an element of what a function gives is written `(f(x))[2]`";
  }
  if (tokens.is(index, "[")) {
    return "a version `W[i - 1]` stands behind FROM, JOIN, UNION and MATERIALIZE, and in CREATE "
           "TABLE ... AS; an extent is a number or left open";
  }
  if (tokens.is(index, "(") && index > statement.first && tokens.is(index - 1, "real")) {
    return "real is a type in SQL; the function is written `\"real\"(c)`";
  }
  if (tokens.is(index, "..")) {
    return "a range is written with three dots: `0...9`";
  }
  for (const size_t suspect : {index, index - 1, index - 2}) {
    if (suspect >= statement.first && suspect < statement.last) {
      const std::string meant = clause_meant_by(tokens, suspect);
      if (!meant.empty()) {
        return fmt::format("did you mean '{}' in place of '{}'?", meant, tokens.text(suspect));
      }
    }
  }
  return "";
}

}  // namespace

int64_t byte_of(const PgQueryError& error, const std::string& text) {
  size_t byte = 0;
  for (int character = 1; character < error.cursorpos && byte < text.size(); ++character) {
    byte += std::max<size_t>(1, length_of_character(text, byte));
  }
  return static_cast<int64_t>(byte);
}

Diagnostic to_diagnostic(const PgQueryError& error, const Rewriting& rewriting,
                         const Tokens& tokens, TokenRange statement) {
  const int64_t byte = byte_of(error, rewriting.text());
  const bool is_at_end = byte >= static_cast<int64_t>(rewriting.text().size());
  const int64_t place = rewriting.place_of(byte);
  const size_t index = is_at_end ? statement.last : tokens.at(place);
  Diagnostic found{ErrorKind::user, {place, place + 1}, error.message, "", {}};
  if (index < tokens.size()) {
    found.span = tokens[index].span;
    if (rewriting.is_put_in(byte)) {  // the message would quote text that the user did not write
      found.message = fmt::format("syntax error at or near \"{}\"", tokens.text(index));
    }
  }
  if (found.message.starts_with("syntax error")) {
    found.help = help_at(tokens, index, statement);
  }
  return found;
}

}  // namespace tessera::frontend::sql
