#pragma once

#include "kernels/cpu/gemm/loops.h"

namespace tessera::kernels {

/// The most products that are computed in place: the library's entry costs more. Measured with
/// bench/kernels, 2026-11.
constexpr int64_t kSmallProducts = 600;

/// Runs c = a * b (or c += a * b with `accumulate`) by the loops, on elements of `type` (f32, f64,
/// c64 or c128).
///
/// Calls OpenBLAS (opened/openblas.h): gemm, gemv or dot, depending on the call's extents; at most
/// kSmallProducts products are computed in place. Threads: any number on distinct c. Source: Goto
/// and van de Geijn, ACM TOMS 34(3), 2008.
void run_gemm(const GemmLoops& loops, DType type, const std::byte* a, const std::byte* b,
              std::byte* c, bool accumulate) noexcept;

}  // namespace tessera::kernels
