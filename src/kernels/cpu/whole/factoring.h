#pragma once

#include "kernels/cpu/whole/routine.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

// What routines that factor a square matrix need: how long it takes, and memory for it.

/// Seconds of so many multiplications and additions by OpenBLAS.
double factoring_seconds(double products, DType dtype, const KernelRates& rates);

/// A copy of a matrix and the numbers of the rows that its factoring exchanges.
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
