#pragma once

#include "kernels/cpu/gemm/loops.h"

namespace tessera::kernels {

/// Below this many products the library's entry costs more than the work; measured with
/// bench/kernels, 2026-11.
constexpr int64_t kSmallProducts = 600;

/// Runs c = a * b (or c += a * b with `accumulate`) as the loops say, on elements of `type` (f32,
/// f64, c64 or c128).
///
/// Calls OpenBLAS (opened/openblas.h): gemm, gemv or dot by what the call's extents are; products
/// of at most kSmallProducts are computed in place. Threads: any number on distinct c. Source: Goto
/// and van de Geijn, ACM TOMS 34(3), 2008.
void run_gemm(const GemmLoops& loops, DType type, const std::byte* a, const std::byte* b,
              std::byte* c, bool accumulate) noexcept;

}  // namespace tessera::kernels
