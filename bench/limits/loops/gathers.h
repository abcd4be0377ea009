#pragma once

#include "row.h"

namespace tessera::bench {

/// Loops over tables of positions, written by hand: the first input is what is read, the second
/// says where.
Limit gather_loop(DType element, DType position);
/// R[n] = x[n, I[n]].
Limit pick_loop();
/// R[n,:] = sum over k of x[I[n,k],:].
Limit bag_loop();
/// R[I[n]] += x[n]; on several threads each has a result of its own, which are added up.
Limit scatter_loop(DType element, DType position);
/// R[I[n]] += 1 of bytes, likewise.
Limit count_loop();
/// R[J[n]] += x[I[n]], likewise.
Limit edge_loop();

}  // namespace tessera::bench
