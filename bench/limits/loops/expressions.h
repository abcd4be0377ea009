#pragma once

#include "row.h"

namespace tessera::bench {

/// General expressions, compiled as they stand.
struct ExpressionLoops {
  Limit chain_of_4, chain_of_8, chain_of_16, chain_of_16_f64, polynomial, choice, bounds, integers,
      outer, sum_of_chain, sum_of_chain_f64, sum_of_polynomial, sum_of_choice, max_of_bounds,
      sum_of_integers;
};

/// Of vectors, or of x[i] and y[j]: written to a matrix, or merged over j.
ExpressionLoops expression_loops();

}  // namespace tessera::bench
