#pragma once

#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace tessera::frontend {

/// The state of the lexer besides the text: it decides which line ends are statement ends.
struct LexerState {
  enum class Start { program, expression };

  Diagnostics& findings;
  Start start = Start::program;
  bool announced = false;      // the token that says which grammar follows has been given
  bool ended = false;          // the end of the last statement has been given
  int64_t at = 0;              // byte behind the last token
  bool in_statement = false;   // tokens of a statement have been given, its end has not
  bool continues = false;      // the last token needs something after it: an operator, a comma, `=`
  bool after_bracket = false;  // the last character was `]`
  bool after_name = false;     // the last token was a name
  bool in_aggregate = false;   // the statement defines an aggregate
  std::vector<SourceSpan> open = {};  // brackets that are not closed yet
};

/// Returns the place in a name of its first character that is no letter; -1 if all are letters. The
/// name holds ASCII letters, digits, `_` and well-formed characters of several bytes.
int64_t find_foreign_character(std::string_view name);

/// True if the rest of a text, after blanks, line ends and comments, starts with an operator that
/// needs a left operand. A minus does: no statement starts with one.
bool goes_on_with_operator(std::string_view rest);

/// Returns the number of bytes of the character that starts with this byte.
int64_t character_length(unsigned char first_byte);

}  // namespace tessera::frontend
