#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// The aggregate that a statement of `syntax` defines, its laws not checked yet.
///
/// Findings: states of different length, results that are none; nothing is given then.
std::optional<UserAggregate> define_aggregate(const AggregateStatement& statement,
                                              const ProgramSyntax& syntax,
                                              const ProgramScope& scope,
                                              const Vocabulary& vocabulary, Diagnostics& findings);

}  // namespace tessera::frontend
