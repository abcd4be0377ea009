#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// A sum of products with a condition, sum over k of where(condition, x * b, 0), as three programs
/// over the labels of the original. The condition depends on labels of a factor x, which is an
/// expression, and the other, b, is an access.
struct MaskedProduct {
  expr::TileProgram masked;   // where(condition, x, 0), a mode for each label of the two
  expr::TileProgram product;  // of that, which is its last operand, and b
  /// The sum over all of b of b - b: 0 if every element is finite, else NaN.
  expr::TileProgram finiteness;
  std::vector<expr::LabelNumber> rows;   // labels of the result that b lacks
  std::vector<expr::LabelNumber> depth;  // summed labels that the condition depends on
};

/// Reads a program of one statement as such a sum, with the smaller factor masked if either may be,
/// or returns why it is none.
OrRefusal<MaskedProduct> read_masked_product(const expr::TileProgram& program,
                                             const CallShape& shape);

}  // namespace tessera::kernels
