#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "frontend/sql/syntax.h"

namespace tessera::cli {

/// A line that begins with a backslash, where no quote and no comment is open: `\timing on`.
struct BackslashLine {
  std::string text;  // from the backslash on, without blanks behind
  SourceSpan span;
};

using ScriptItem = std::variant<frontend::sql::Statement, BackslashLine>;

/// The statements and commands of a text, in the order in which they end. Errors: all findings,
/// with their SQLSTATE, so that nothing of a text runs that has a mistake of grammar.
std::vector<ScriptItem> read_script(const SourceText& source);

/// Whether a line is a command where one may stand.
bool begins_with_backslash(std::string_view line);

}  // namespace tessera::cli
