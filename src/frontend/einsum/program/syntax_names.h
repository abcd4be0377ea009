#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// Returns all names in the expressions of a program's statements from one on, in macros and in
/// outputs: those of tensors, parameters and labels.
std::set<std::string> names_from(const ProgramSyntax& syntax, size_t statement);

/// Returns the labels of all statements of a program; those of macros are their own.
std::set<std::string> labels_in(const ProgramSyntax& syntax);

/// Returns all names in one expression.
std::set<std::string> names_in(const ProgramSyntax& syntax, ExpressionId expression);

}  // namespace tessera::frontend
