#pragma once

#include "base/diagnostic.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// The largest depth of nested expressions; deeper ones are refused, so that walking one cannot
/// exhaust the stack. A level takes up to 6 KiB of it with the address sanitizer, of 8 MiB. A
/// product of a thousand factors is as deep.
inline constexpr int kMaxDepth = 1100;

/// Reads a program. Findings are added to `findings`, up to its limit; after one, parsing continues
/// with the next statement. The result has the statements that could be read.
ProgramSyntax parse_program(Diagnostics& findings);

/// Reads a text that is one expression.
ProgramSyntax parse_expression(Diagnostics& findings);

}  // namespace tessera::frontend
