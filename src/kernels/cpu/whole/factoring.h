#pragma once

#include "kernels/cpu/whole/routine.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

// Parts of routines that factor a square matrix: their cost, and their memory.

/// Returns the seconds of this many multiplications and additions by OpenBLAS.
double factoring_seconds(double products, DType dtype, const KernelRates& rates);

/// Returns the bytes of a copy of a matrix and the row numbers that its factoring exchanges.
int64_t factoring_bytes(const RoutineSize& size);

template <class T>
struct Factoring {
  std::span<T> matrix;
  std::span<int32_t> pivots;

  Factoring(std::byte* workspace, int64_t extent) {
    Carver carver(workspace);
    matrix = carver.take<T>(static_cast<size_t>(extent * extent));
    pivots = carver.take<int32_t>(static_cast<size_t>(extent));
  }
};

}  // namespace tessera::kernels
