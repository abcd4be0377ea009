#pragma once

#include "row.h"

namespace tessera::bench {

/// exp(x - 0.5) * y + z over vectors of f32, stored past the caches.
Limit exponential_loop();

/// Of the rows of an f32 matrix, whose columns are a multiple of 64: a row stays in the cache while
/// it is read again.
Limit softmax_rows_loop();
Limit layer_norm_loop();
Limit rms_norm_loop();

/// Softmax over the first label: by panels of columns that stay in the cache.
Limit softmax_columns_loop();

/// x ** 2.5 over a vector of f32 as x * x * sqrt(x).
Limit power_loop();

}  // namespace tessera::bench
