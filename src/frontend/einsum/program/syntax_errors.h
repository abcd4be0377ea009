#pragma once

#include <string>
#include <vector>

#include "frontend/einsum/program/lexer_state.h"

namespace tessera::frontend {

/// A token that the grammar does not allow at its place.
struct UnexpectedToken {
  std::string name;  // the grammar's name for it
  SourceSpan span;
  std::vector<std::string> expected;  // empty if too many tokens are possible
};

/// Adds a finding about the token, and makes the lexer forget open brackets, so that the next line
/// end ends the statement.
void report_unexpected(LexerState& lexer, const UnexpectedToken& token);

}  // namespace tessera::frontend
