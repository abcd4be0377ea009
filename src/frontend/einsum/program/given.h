#pragma once

#include <map>
#include <string>

#include "base/diagnostic.h"
#include "frontend/einsum/einsum.h"
#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// Finds data and values that are given for names which the program does not declare. `parameters`
/// are the declared parameters, with their places.
void check_given(const Bindings& bindings, const ProgramSyntax& syntax,
                 const std::map<std::string, SourceSpan>& parameters, Diagnostics& findings);

}  // namespace tessera::frontend
