#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"

namespace tessera::frontend {

/// A label or an ellipsis at its place in an equation.
struct EquationItem {
  std::string label;  // one character of UTF-8; empty for an ellipsis
  SourceSpan span;

  bool is_ellipsis() const { return label.empty(); }
};

/// The labels of one operand or of the output. The span of a term without labels is empty.
struct EquationTerm {
  std::vector<EquationItem> items;
  SourceSpan span;

  bool has_ellipsis() const;
  int64_t num_labels() const;  // the ellipsis not counted
};

/// An equation as written: nothing is checked against the arrays yet.
struct EquationSyntax {
  std::vector<EquationTerm> operands;  // at least one; `` is one operand without labels
  std::optional<EquationTerm> output;  // none without an arrow
};

/// Reads an equation such as `ij,jk->ik`. Spaces and tabs may stand between labels, not inside
/// `...` or `->`.
///
/// A label is one character: an ASCII letter, or any visible character above ASCII. (opt_einsum
/// counts its labels up from U+00C0 and so uses signs such as ×, which are not letters in Unicode.)
/// Errors: findings are added; the result then has the parts that could be read.
EquationSyntax parse_equation(const SourceText& source, Diagnostics& findings);

}  // namespace tessera::frontend
