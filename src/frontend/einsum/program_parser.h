#pragma once

#include "base/diagnostic.h"
#include "frontend/einsum/program_syntax.h"

namespace tessera::frontend {

/// Expressions nested deeper than this are refused, so that walking one cannot exhaust the stack.
inline constexpr int kMaxDepth = 500;

/// Reads a program. Findings are added to `findings`, up to its limit: after one, reading goes on
/// with the next statement. What is returned has the statements that could be read.
ProgramSyntax parse_program(Diagnostics& findings);

/// Reads a text that is one expression.
ProgramSyntax parse_expression(Diagnostics& findings);

}  // namespace tessera::frontend
