#pragma once

#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// A statement read as a batch of matrix products: c[batch, m, n] = sum over k of a[batch, m, k] *
/// b[batch, k, n].
struct GemmLabels {
  expr::Access a;
  expr::Access b;
  std::vector<expr::LabelNumber> batch;  // in both operands and the output, or in it alone with one
                                         // position; in its order, like m and n
  std::vector<expr::LabelNumber> m;      // in a and the output
  std::vector<expr::LabelNumber> n;      // in b and the output
  std::vector<expr::LabelNumber> k;      // in both operands, summed
  DType type = DType::f32;               // of the products and the sum: f32, f64, c64 or c128
};

/// Reads a statement as a matrix product, or returns why it is none.
OrRefusal<GemmLabels> read_as_gemm(const expr::TileProgram& program);

/// Sorts the labels of two operands of a program's only statement into those of a product, for any
/// functions; or returns why an access is not plain or a label fits no class.
OrRefusal<GemmLabels> sort_labels(const expr::TileProgram& program, const expr::Access& a,
                                  const expr::Access& b, DType type);

}  // namespace tessera::kernels
