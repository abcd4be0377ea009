#pragma once

#include "kernels/cpu/gemm/loops.h"

namespace tessera::kernels {

/// Below this many products the library's entry costs more than the work; measured with
/// bench/kernels, 2026-11.
constexpr int64_t kSmallProducts = 600;

/// Runs c = a * b (or c += a * b with `accumulate`) as the loops say, on elements of `type` (f32,
/// f64, c64 or c128).
///
/// Calls OpenBLAS with one thread: gemm, gemv or dot by what the call's extents are; products of
/// at most kSmallProducts are computed in place. Threads: any number on distinct c. Source: Goto
/// and van de Geijn, ACM TOMS 34(3), 2008.
void run_gemm(const GemmLoops& loops, DType type, const std::byte* a, const std::byte* b,
              std::byte* c, bool accumulate) noexcept;

/// Tells OpenBLAS to use the calling thread only, and ends the threads that it started when it was
/// loaded: they would ask for work, and take turns of the cores, for the first tenth of a second.
/// The threads of a run are the runtime's. The number is the whole process's, and the kernels that
/// call the library are its only owner: they set it when they are registered. Threads: any.
void use_one_blas_thread();

}  // namespace tessera::kernels
