#pragma once

#include "row.h"

namespace tessera::bench {

/// The product of two matrices by OpenBLAS, of f32, f64, c64 or c128.
Limit openblas_product();

/// The same of f32 by oneDNN.
Limit onednn_product();

/// A batch of products b[n,i,j] c[n,j,k] (or c[n,k,j], transposed) of f32 by oneDNN.
Limit onednn_batch(bool transposed);

/// The product of the lower triangle of a square matrix and another matrix, of f32, by OpenBLAS.
Limit triangular_product();

}  // namespace tessera::bench
