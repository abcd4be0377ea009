#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "frontend/sql/query.h"

namespace tessera::frontend::sql {

/// A word or sign of the user's text; comments and blanks are none.
struct Token {
  enum class Kind : uint8_t {
    name,      // a word that is no keyword, or is quoted
    keyword,   // one that may also be a name of anything
    reserved,  // one that may be no name of a table unless it is quoted
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

/// The tokens of a script, with the brackets that belong together.
class Tokens {
 public:
  /// Where no token is meant.
  static constexpr size_t kNone = static_cast<size_t>(-1);

  /// The text must outlive the tokens.
  Tokens(std::string_view text, std::vector<Token> tokens);

  size_t size() const { return tokens_.size(); }
  const Token& operator[](size_t index) const { return tokens_[index]; }
  std::string_view source() const { return source_; }
  std::string_view text(size_t index) const { return text(tokens_[index].span); }
  std::string_view text(SourceSpan span) const;

  /// Whether there is such a token and it is this sign or, in lower case, this word without quotes.
  bool is(size_t index, std::string_view word) const;
  /// Whether it can name a table or a column as it stands.
  bool is_name(size_t index) const;
  /// The name that it is: without its quotes, or in lower case.
  Name name(size_t index) const;

  /// The other bracket of a pair; kNone for a bracket without one, and for all else.
  size_t match(size_t index) const { return matches_[index]; }
  /// The first token that ends behind the byte; size() if none does.
  size_t at(int64_t byte) const;
  /// The first token from `index` on (before `last`) that is this sign and in no bracket opened
  /// since; else `last`.
  size_t find(size_t index, size_t last, std::string_view sign) const;

  /// From the first token's first byte to the last one's end; REQUIRES that there is one.
  SourceSpan span(TokenRange range) const;
  /// Grown so that no bracket in it lacks its other one.
  SourceSpan balanced(SourceSpan span) const;

 private:
  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<size_t> matches_;
};

/// From the beginning of one to the end of the other, in whichever order they stand.
SourceSpan hull(SourceSpan one, SourceSpan other);

}  // namespace tessera::frontend::sql
