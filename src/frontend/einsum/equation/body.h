#pragma once

#include "expr/monoid.h"
#include "frontend/einsum/einsum.h"
#include "frontend/einsum/equation/labels.h"

namespace tessera::frontend {

/// What is computed for every combination of labels, and how the results are merged.
struct EquationBody {
  expr::Scalar body;
  std::string aggregate;                          // its name; empty where nothing is reduced
  std::optional<expr::BoundAggregate> reduction;  // none where nothing is reduced
};

/// x1 ⊗ ... ⊗ xn over the operands, every one cast to their common dtype first, and ⊕.
///
/// Defaults as np.einsum: product and sum; of bool, `and` and `or`. An aggregate that is asked for
/// where no label is reduced sees one element: its lift and finalise are applied. Errors: an
/// unknown or unfit function or aggregate, with the place in `options.join` or `options.aggregate`;
/// an aggregate without identity over no elements.
Result<EquationBody> bind_equation_body(const EquationLabels& labels,
                                        const EquationOperands& operands,
                                        const EquationOptions& options,
                                        const Vocabulary& vocabulary);

}  // namespace tessera::frontend
