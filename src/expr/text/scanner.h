#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.h"
#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::expr {

/// Returns the written form of a name in the printed stages: unchanged if it looks like a name
/// (`QH`, `T1.2`, `W{3}`), else in double quotes with \", \\ and \n.
std::string written_name(const std::string& name);

/// A scanner of part of a source text, for the hand-written parsers of the printed stages.
///
/// White space, including line breaks, may stand between any two tokens. Every read that fails
/// throws a user Error with line, column and caret.
class Scanner {
 public:
  explicit Scanner(const SourceText& source);
  Scanner(const SourceText& source, SourceSpan part);

  bool at_end();
  /// Returns the byte where the next token starts.
  int64_t position();
  SourceSpan since(int64_t begin) const { return {begin, static_cast<int64_t>(next_)}; }

  /// Moves to the place of a copy of this scanner, which has looked ahead.
  void move_to(const Scanner& ahead) { next_ = ahead.next_; }

  bool looking_at(std::string_view symbol);
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);
  /// Accepts a word, which must not continue as a longer name.
  bool accept_word(std::string_view word);
  /// Refuses anything left over.
  void expect_end();

  bool looking_at_name();
  std::string name();
  int64_t integer();
  DType dtype();

  /// Accepts a number, or one of inf, nan, true and false; nothing if there is none. `negative`
  /// changes its sign.
  std::optional<Literal> accept_literal(bool negative = false);

  /// Throws the Error for a place in the text.
  [[noreturn]] void fail(SourceSpan place, const std::string& message,
                         const std::string& help = "") const;
  /// Throws the Error for the current place: "expected ..., not ...".
  [[noreturn]] void fail_expected(const std::string& what);

 private:
  void skip_space();
  std::string_view rest() const {
    return std::string_view(source_.text).substr(next_, end_ - next_);
  }
  std::string quoted_name();
  std::optional<Literal> accept_complex(bool negative);

  const SourceText& source_;
  size_t next_ = 0;
  size_t end_ = 0;
};

}  // namespace tessera::expr
