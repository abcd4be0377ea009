#include <algorithm>
#include <variant>

#include "frontend/sql/parse.h"
#include "frontend/sql/postgres/scan.h"
#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

namespace {

bool is_in(SourceSpan inner, SourceSpan outer) {
  return inner.begin >= outer.begin && inner.end <= outer.end;
}

/// True if the name at this token stands in a place for such a thing.
bool stands_for(const Tokens& tokens, size_t index, NameKind kind) {
  const auto is_behind = [&](std::initializer_list<std::string_view> words) {
    return index > 0 && std::any_of(words.begin(), words.end(), [&](std::string_view word) {
             return tokens.is(index - 1, word);
           });
  };
  switch (kind) {
    case NameKind::table:
      return is_behind({"from", "join", "into", "update", "table", ","});
    case NameKind::column:
      return !tokens.is(index + 1, "(") && !tokens.is(index + 1, ".") &&
             !is_behind({"as", "from", "join"});
    case NameKind::function:
      return tokens.is(index + 1, "(");
  }
  return false;
}

}  // namespace

std::optional<SourceSpan> find_name(const std::string& text, SourceSpan statement,
                                    const std::string& name, NameKind kind) {
  const auto scanned = scan(text);
  const auto* const found = std::get_if<std::vector<Token>>(&scanned);
  if (found == nullptr) {
    return std::nullopt;
  }
  const Tokens tokens(text, *found);
  const size_t dot = name.rfind('.');
  const std::string last = dot == std::string::npos ? name : name.substr(dot + 1);
  const auto is_it = [&](size_t index) {
    const bool is_qualified =
        dot == std::string::npos || (index >= 2 && tokens.is(index - 1, ".") &&
                                     tokens.name(index - 2).text == name.substr(0, dot));
    return is_qualified && tokens.name(index).text == last;
  };
  std::optional<SourceSpan> elsewhere;
  for (size_t index = 0; index < tokens.size(); ++index) {
    if (!is_in(tokens[index].span, statement) || !is_it(index)) {
      continue;
    }
    if (stands_for(tokens, index, kind)) {
      return tokens[index].span;
    }
    elsewhere = elsewhere ? elsewhere : tokens[index].span;
  }
  return elsewhere;
}

bool is_quote_open(const std::string& text) {
  const auto scanned = scan(text);
  const auto* const error = std::get_if<Diagnostic>(&scanned);
  return error != nullptr && error->message.starts_with("unterminated");
}

}  // namespace tessera::frontend::sql
