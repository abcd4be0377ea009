#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// Evaluates an expression to a number: it may contain no tensor, label or aggregate.
///
/// Findings: an expression that has no such value; nothing is returned then.
std::optional<Literal> number_of(ExpressionId expression, const ProgramSyntax& syntax,
                                 const ProgramScope& scope, const Vocabulary& vocabulary,
                                 Diagnostics& findings);

}  // namespace tessera::frontend
