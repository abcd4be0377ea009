#pragma once

#include "expr/monoid.h"
#include "frontend/einsum/einsum.h"
#include "frontend/einsum/equation/labels.h"

namespace tessera::frontend {

/// The expression computed for every combination of labels, and the reduction that merges the
/// results.
struct EquationBody {
  expr::Scalar body;
  std::string aggregate;                          // its name; empty without a reduction
  std::optional<expr::BoundAggregate> reduction;  // none without a reduction
};

/// Binds x1 ⊗ ... ⊗ xn over the operands, each cast to their common dtype first, and ⊕.
///
/// The defaults are those of np.einsum: product and sum; for bool, `and` and `or`. If no label is
/// reduced, a requested aggregate sees one element: its lift and finalise are applied. Errors: an
/// unknown or unfit function or aggregate, with the place in `options.join` or `options.aggregate`;
/// an aggregate without identity over no elements.
Result<EquationBody> bind_equation_body(const EquationLabels& labels,
                                        const EquationOperands& operands,
                                        const EquationOptions& options,
                                        const Vocabulary& vocabulary);

}  // namespace tessera::frontend
