#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/source.h"
#include "database/sql_error.h"
#include "frontend/sql/sqlite_text.h"
#include "frontend/sql/syntax.h"
#include "program/growing/statement_place.h"

namespace tessera::sql {

/// Does something for a part of a statement. An error without a place gets that of this part, so
/// the innermost one; one of the machine, or of the user's Ctrl-C, is about no part.
template <class Do>
auto at(SourceSpan span, const Do& act) {
  try {
    return act();
  } catch (const database::SqlError&) {
    throw;
  } catch (const frontend::sql::UnsayableError& error) {
    const bool has_place = error.span().begin < error.span().end;
    throw database::SqlError(database::state_of(error.kind()), static_cast<const Error&>(error),
                             has_place ? error.span() : span);
  } catch (const Error& error) {
    const bool is_about_part =
        error.kind() == ErrorKind::user || error.kind() == ErrorKind::unsupported;
    if (error.findings() != nullptr || !is_about_part || span.begin == span.end) {
      throw;
    }
    throw database::SqlError(database::state_of(error.kind()), error, span);
  }
}

[[noreturn]] void fail_no_table(const frontend::sql::Name& name);
[[noreturn]] void fail_table_exists(const frontend::sql::Name& name);

/// What statements may name, for an error to say what was meant.
struct KnownNames {
  std::vector<std::string> tables, columns, functions;
};

/// The error of a statement as its user reads it: its SQLSTATE before its message, and the place
/// that it is about, with what was meant where that is a name. `statement` is all of it in the
/// text.
Error shown_in(const SourceText& source, SourceSpan statement, const Error& error,
               const KnownNames& names);

/// Throws an error of the tensor part at the expression that says its statement: in a view or a
/// definition with that text, else for the statement that is executed to show.
[[noreturn]] void show_at_place(const Error& error, const program::StatementPlace& place);

/// Findings about a text with a SQLSTATE before each: `syntax_error`, or that of what is not built.
Error with_states(const Diagnostics& findings);

}  // namespace tessera::sql
