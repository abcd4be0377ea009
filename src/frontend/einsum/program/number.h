#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// The number that an expression is: no tensor, label or aggregate stands in it.
///
/// Findings: an expression that is none; nothing is given then.
std::optional<Literal> number_of(ExpressionId expression, const ProgramSyntax& syntax,
                                 const ProgramScope& scope, const Vocabulary& vocabulary,
                                 Diagnostics& findings);

}  // namespace tessera::frontend
