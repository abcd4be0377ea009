#pragma once

#include <vector>

#include "frontend/sql/text/rewriting.h"
#include "frontend/sql/text/tokens.h"
#include "frontend/sql/text/versions.h"

namespace tessera::frontend::sql {

/// The changes to a statement before PostgreSQL can read it, in the order of places.
struct Changes {
  std::vector<Edit> edits;
  Versions versions;
};

/// Takes out syntax that PostgreSQL's grammar lacks and that its place identifies:
/// - versions after a table's name (`FROM W[i - 1][j]`), and UNION before it;
/// - VALUES in FROM without parentheses, as in the paper, which gets them;
/// - a reserved word that names a table in FROM (`DATA_OUTPUT AS DO`, `DO.VAL`), which gets quotes.
///
/// Throws a Finding for faults in the brackets.
Changes take_versions(const Tokens& tokens, TokenRange statement);

}  // namespace tessera::frontend::sql
