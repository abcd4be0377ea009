#include "frontend/sql/text/tokens.h"

#include <algorithm>

namespace tessera::frontend::sql {

namespace {

/// Folds a character as PostgreSQL folds names: ASCII alone.
char lower_case(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}

char closing_of(char opening) {
  return opening == '(' ? ')' : opening == '[' ? ']' : '\0';
}

std::vector<size_t> matches_of(std::string_view source, const std::vector<Token>& tokens) {
  std::vector<size_t> matches(tokens.size(), Tokens::kNone);
  std::vector<size_t> open;
  for (size_t index = 0; index < tokens.size(); ++index) {
    if (tokens[index].kind != Token::Kind::sign) {
      continue;
    }
    const char sign = source[static_cast<size_t>(tokens[index].span.begin)];
    if (closing_of(sign) != '\0') {
      open.push_back(index);
    } else if ((sign == ')' || sign == ']') && !open.empty()) {
      const size_t opening = open.back();
      const char opened = source[static_cast<size_t>(tokens[opening].span.begin)];
      if (closing_of(opened) == sign) {
        matches[opening] = index;
        matches[index] = opening;
        open.pop_back();
      }
    }
  }
  return matches;
}

}  // namespace

Tokens::Tokens(std::string_view text, std::vector<Token> tokens)
    : source_(text), tokens_(std::move(tokens)), matches_(matches_of(source_, tokens_)) {}

std::string_view Tokens::text(SourceSpan span) const {
  return source_.substr(static_cast<size_t>(span.begin),
                        static_cast<size_t>(span.end - span.begin));
}

bool Tokens::is(size_t index, std::string_view word) const {
  if (index >= size() || tokens_[index].kind == Token::Kind::string) {
    return false;
  }
  const std::string_view found = text(index);
  return std::equal(found.begin(), found.end(), word.begin(), word.end(),
                    [](char a, char b) { return lower_case(a) == b; });
}

bool Tokens::is_name(size_t index) const {
  return index < size() &&
         (tokens_[index].kind == Token::Kind::name || tokens_[index].kind == Token::Kind::keyword);
}

Name Tokens::name(size_t index) const {
  const std::string_view found = text(index);
  Name name{"", tokens_[index].span};
  if (!found.starts_with('"')) {
    std::transform(found.begin(), found.end(), std::back_inserter(name.text), lower_case);
    return name;
  }
  for (size_t place = 1; place + 1 < found.size(); ++place) {
    name.text += found[place];
    place += found[place] == '"' ? 1 : 0;  // a quote in quotes is written twice
  }
  return name;
}

size_t Tokens::at(int64_t byte) const {
  const auto found =
      std::upper_bound(tokens_.begin(), tokens_.end(), byte,
                       [](int64_t place, const Token& token) { return place < token.span.end; });
  return static_cast<size_t>(found - tokens_.begin());
}

size_t Tokens::find(size_t index, size_t last, std::string_view sign) const {
  for (; index < last; ++index) {
    if (is(index, sign)) {
      return index;
    }
    if (matches_[index] != kNone && matches_[index] > index) {
      index = matches_[index];
    }
  }
  return last;
}

SourceSpan Tokens::span(TokenRange range) const {
  return {tokens_[range.first].span.begin, tokens_[range.last - 1].span.end};
}

SourceSpan Tokens::balanced(SourceSpan span) const {
  for (size_t index = at(span.begin); index < size() && tokens_[index].span.begin < span.end;
       ++index) {
    if (matches_[index] == kNone) {
      continue;
    }
    const SourceSpan other = tokens_[matches_[index]].span;
    if (other.begin < span.begin) {
      span.begin = other.begin;
      index = matches_[index];
    }
    span.end = std::max(span.end, other.end);
  }
  return span;
}

SourceSpan hull(SourceSpan one, SourceSpan other) {
  return {std::min(one.begin, other.begin), std::max(one.end, other.end)};
}

}  // namespace tessera::frontend::sql
