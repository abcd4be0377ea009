#pragma once

#include "row.h"

namespace tessera::bench {

/// Loops over r[i,k] = aggregate over j of x[i,j] and y[j,k], of f32 or f64: results in registers,
/// eight rows of three vectors. REQUIRES rows that are a multiple of eight and at least three
/// vectors of columns.
enum class Distance { largest_absolute, sum_of_squares, least_sum, largest_sum };
Limit distance_loop(Distance distance, DType dtype);

/// The same of w[j] * (x[i,j] - y[j,k])^2.
Limit weighted_loop(DType dtype);

}  // namespace tessera::bench
