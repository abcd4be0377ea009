#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "frontend/sql/query.h"

namespace tessera::frontend::sql {

/// A word or sign of the user's text, other than comments and blanks.
struct Token {
  enum class Kind : uint8_t {
    name,      // a word that is no keyword, or is quoted
    keyword,   // one that may also be a name of anything
    reserved,  // one that names a table only if it is quoted
    number,
    string,
    sign
  } kind;
  SourceSpan span;
};

/// Tokens [first, last).
struct TokenRange {
  size_t first, last;
};

/// The tokens of a script, with the pairs of brackets.
class Tokens {
 public:
  /// The index for no token.
  static constexpr size_t kNone = static_cast<size_t>(-1);

  /// The text must outlive the tokens.
  Tokens(std::string_view text, std::vector<Token> tokens);

  size_t size() const { return tokens_.size(); }
  const Token& operator[](size_t index) const { return tokens_[index]; }
  std::string_view source() const { return source_; }
  std::string_view text(size_t index) const { return text(tokens_[index].span); }
  std::string_view text(SourceSpan span) const;

  /// True if there is such a token and it is this sign or, in lower case, this word without quotes.
  bool is(size_t index, std::string_view word) const;
  /// True if it can name a table or a column without quotes.
  bool is_name(size_t index) const;
  /// Returns the name: without its quotes, or in lower case.
  Name name(size_t index) const;

  /// Returns the other bracket of a pair; kNone for a bracket without one, and for all other
  /// tokens.
  size_t match(size_t index) const { return matches_[index]; }
  /// Returns the first token that ends after the byte; size() if none does.
  size_t at(int64_t byte) const;
  /// Returns the first token from `index` on (before `last`) that is this sign and in no bracket
  /// opened since; else `last`.
  size_t find(size_t index, size_t last, std::string_view sign) const;

  /// Returns the span from the first token's begin to the last one's end; REQUIRES that there is
  /// one.
  SourceSpan span(TokenRange range) const;
  /// Returns the span, grown so that every bracket in it has its pair.
  SourceSpan balanced(SourceSpan span) const;

 private:
  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<size_t> matches_;
};

/// Returns the span that covers both, in whichever order they stand.
SourceSpan hull(SourceSpan one, SourceSpan other);

}  // namespace tessera::frontend::sql
