#pragma once

#include "frontend/sql/text/tokens.h"

namespace tessera::frontend::sql {

/// Throws a Finding where a statement may be nested more than 1000 deep, which SQLite refuses too:
/// its tree is walked by functions that call themselves, in PostgreSQL's parser and here.
void check_nesting(const Tokens& tokens, TokenRange statement);

}  // namespace tessera::frontend::sql
