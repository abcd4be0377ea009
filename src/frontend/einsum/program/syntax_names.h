#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "frontend/einsum/program/syntax.h"

namespace tessera::frontend {

/// All names that stand in the expressions of a program's statements from one on, in macros and in
/// what is put out: of tensors, parameters and labels.
std::set<std::string> names_from(const ProgramSyntax& syntax, size_t statement);

/// The labels of a program, of whatever statement; those of macros are their own.
std::set<std::string> labels_in(const ProgramSyntax& syntax);

/// The same as names_from of one expression.
std::set<std::string> names_in(const ProgramSyntax& syntax, ExpressionId expression);

}  // namespace tessera::frontend
