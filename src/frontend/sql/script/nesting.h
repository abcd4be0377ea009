#pragma once

#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

/// Throws a Finding if a statement may be nested more than 1000 deep, which SQLite refuses too:
/// recursive functions walk its tree, in PostgreSQL's parser and here.
void check_nesting(const Tokens& tokens, TokenRange statement);

}  // namespace tessera::frontend::sql
