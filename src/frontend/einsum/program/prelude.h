#pragma once

#include "frontend/einsum/program/scope.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// Returns the macros that every program starts with (prelude.ein), as text of the language.
const char* prelude_text();

/// Returns the prelude as syntax.
ProgramSyntax parsed_prelude();

/// Adds the macros and the aggregates of the prelude to what a program's names mean. The prelude
/// outlives the scope.
void add_prelude(const ProgramSyntax& prelude, const Vocabulary& vocabulary, ProgramScope& scope);

}  // namespace tessera::frontend
