#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/source.h"
#include "frontend/sql/syntax.h"

namespace tessera::cli {

/// A line that begins with a backslash outside of quotes and comments: `\timing on`.
struct BackslashLine {
  std::string text;  // from the backslash on, without trailing blanks
  SourceSpan span;
};

using ScriptItem = std::variant<frontend::sql::Statement, BackslashLine>;

/// Returns the statements and commands of a text, in the order in which they end. Errors: all
/// findings, with their SQLSTATE, so that a text with a syntax error does not run at all.
std::vector<ScriptItem> read_script(const SourceText& source);

/// True if a line is a command in a place that allows one.
bool begins_with_backslash(std::string_view line);

}  // namespace tessera::cli
