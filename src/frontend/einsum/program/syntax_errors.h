#pragma once

#include <string>
#include <vector>

#include "frontend/einsum/program/lexer_state.h"

namespace tessera::frontend {

/// A token where the grammar has no place for it.
struct UnexpectedToken {
  std::string name;  // as the grammar calls it
  SourceSpan span;
  std::vector<std::string> expected;  // empty where too much could stand there
};

/// Adds a finding that says what is wrong with the token, and makes the lexer forget open brackets,
/// so that the next line end ends the statement.
void report_unexpected(LexerState& lexer, const UnexpectedToken& token);

}  // namespace tessera::frontend
