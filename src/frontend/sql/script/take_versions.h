#pragma once

#include <vector>

#include "frontend/sql/text/rewriting.h"
#include "frontend/sql/text/tokens.h"
#include "frontend/sql/text/versions.h"

namespace tessera::frontend::sql {

/// What has to be changed in a statement before PostgreSQL can read it, in the order of places.
struct Changes {
  std::vector<Edit> edits;
  Versions versions;
};

/// Takes out what PostgreSQL's grammar has not and what is found by where it stands:
///   - versions behind a table's name (`FROM W[i - 1][j]`), and UNION before it;
///   - VALUES in FROM without parentheses, as the paper writes it, gets them;
///   - a reserved word that names a table in FROM (`DATA_OUTPUT AS DO`, `DO.VAL`) gets quotes.
///
/// Throws a Finding for what stands in the brackets.
Changes take_versions(const Tokens& tokens, TokenRange statement);

}  // namespace tessera::frontend::sql
