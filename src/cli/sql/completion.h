#pragma once

#include <string_view>

#include "cli/sql/line_editor.h"
#include "sql/statement_error.h"

namespace tessera::cli {

/// What may stand for the word at the end of a text: a command and what stands behind it, a file in
/// quotes, a table behind FROM and the like, a column behind a dot; else anything that SQL may say.
Completions complete(std::string_view text, const sql::KnownNames& names);

}  // namespace tessera::cli
