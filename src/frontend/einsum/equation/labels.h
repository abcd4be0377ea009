#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "expr/tile_program.h"
#include "frontend/einsum/equation/syntax.h"
#include "types/array_type.h"

namespace tessera::frontend {

/// The arrays that an equation is applied to, in order.
struct EquationOperands {
  const std::vector<ArrayType>& types;
  const std::vector<std::string>& names;
};

/// The meaning of an equation for its arrays: one extent per label, the index of every read, and
/// the labels that are kept and reduced.
///
/// The axes of an ellipsis are labels of their own, named dots1, dots2, ... from the left of the
/// widest one. A name of more than one character never clashes with the user's.
struct EquationLabels {
  std::vector<expr::LabelDecl> labels;            // in order of appearance
  std::vector<std::vector<expr::Index>> indices;  // per operand, one per mode
  std::vector<expr::LabelNumber> out;
  std::vector<expr::LabelNumber> over;  // every other label
};

/// Applies numpy's rules: right-aligned ellipses, broadcasting of extent 1, an implicit output of
/// the ellipsis axes and then the labels that stand once, by code point. An ellipsis that is
/// missing in an explicit output is summed.
///
/// Errors: findings are added (number of operands, number of modes, unequal extents, output labels
/// that are unknown or repeated, a result of more elements than can be counted); the result must
/// not be used then.
EquationLabels resolve_labels(const EquationSyntax& syntax, const EquationOperands& operands,
                              Diagnostics& findings);

}  // namespace tessera::frontend
