#pragma once

#include <string_view>

#include "cli/sql/line_editor.h"
#include "sql/statement_error.h"

namespace tessera::cli {

/// Returns the completions of the word at the end of a text: a command and its argument, a file in
/// quotes, a table after FROM and its like, a column after a dot; else any word of SQL.
Completions complete(std::string_view text, const sql::KnownNames& names);

}  // namespace tessera::cli
