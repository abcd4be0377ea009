#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// All names that stand in the expressions of a program's statements from one on, in macros and in
/// what is put out: of tensors, parameters and labels.
std::set<std::string> names_from(const ProgramSyntax& syntax, size_t statement);

/// The same of one expression.
std::set<std::string> names_in(const ProgramSyntax& syntax, ExpressionId expression);

}  // namespace tessera::frontend
