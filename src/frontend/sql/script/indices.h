#pragma once

#include "frontend/sql/syntax.h"
#include "frontend/sql/text/tokens.h"
#include "frontend/sql/text/versions.h"

namespace tessera::frontend::sql {

/// A range `low...high`, which may leave out the end, or one expression.
struct Range {
  ExpressionPtr low;
  ExpressionPtr high;  // null where there is none
  bool is_range = false;
};

/// Reads a range between these tokens. Throws a Finding.
Range read_range(const Tokens& tokens, TokenRange range);

/// Reads all brackets from the one at this token on: `[i - 1][j]`, in a definition
/// `[i:1...][j:0...9]`. Throws a Finding.
WrittenVersion read_version(const Tokens& tokens, size_t opening, bool is_definition);

}  // namespace tessera::frontend::sql
