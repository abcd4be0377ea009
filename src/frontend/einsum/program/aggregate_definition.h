#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "frontend/einsum/program/scope.h"

namespace tessera::frontend {

/// Defines the aggregate of a statement of `syntax`; its laws are not checked yet.
///
/// Findings: states of different length, results that are not states; nothing is returned then.
std::optional<UserAggregate> define_aggregate(const AggregateStatement& statement,
                                              const ProgramSyntax& syntax,
                                              const ProgramScope& scope,
                                              const Vocabulary& vocabulary, Diagnostics& findings);

}  // namespace tessera::frontend
