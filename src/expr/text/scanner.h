#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.h"
#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::expr {

/// A name as the printed stages write it: as it is where it looks like one (`QH`, `T1.2`, `W{3}`),
/// else in double quotes with \", \\ and \n.
std::string written_name(const std::string& name);

/// Walks through part of a source text, for the hand-written parsers of the printed stages.
///
/// White space, line breaks among it, may stand between any two things read. Every read that fails
/// throws a user Error with line, column and caret.
class Scanner {
 public:
  explicit Scanner(const SourceText& source);
  Scanner(const SourceText& source, SourceSpan part);

  bool at_end();
  /// The byte where the next thing starts.
  int64_t position();
  SourceSpan since(int64_t begin) const { return {begin, static_cast<int64_t>(next_)}; }

  /// Goes on where a copy of this scanner stands, which has looked ahead.
  void move_to(const Scanner& ahead) { next_ = ahead.next_; }

  bool looking_at(std::string_view symbol);
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);
  /// As accept, for a word: it must not go on as a longer name.
  bool accept_word(std::string_view word);
  /// Refuses anything left over.
  void expect_end();

  bool looking_at_name();
  std::string name();
  int64_t integer();
  DType dtype();

  /// A number, or one of inf, nan, true and false; nothing if there is none. `negative` changes its
  /// sign.
  std::optional<Literal> accept_literal(bool negative = false);

  /// Throws the Error for a place in the text.
  [[noreturn]] void fail(SourceSpan place, const std::string& message,
                         const std::string& help = "") const;
  /// Throws it for the place reached: "expected ..., not ...".
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
