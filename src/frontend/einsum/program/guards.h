#pragma once

#include "frontend/einsum/program/resolved.h"

/// Conditions that keep unused parts of a statement from failing.
namespace tessera::frontend {

/// Gives every operation that may fail, and whose value is used under a condition only, that
/// condition as its guard: in the branches of where(), after `and` and `or`, in the elements that
/// an aggregate takes by `where`, below masked(), and at positions that keep leaves out. Guarded
/// arguments of functions of whole arrays are replaced by harmless ones.
///
/// A part that is a vertex of its own, such as an aggregate, has a guard over its own labels: true
/// if its value is used at any position of the other labels. If an operation also stands under a
/// weaker condition in the statement, it gets that condition, so that both are one.
///
/// REQUIRES that all labels have extents.
void add_guards(ResolvedExpression& statement);

}  // namespace tessera::frontend
