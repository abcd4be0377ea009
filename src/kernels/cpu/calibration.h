#pragma once

/// What the cost models of the cpu kernels are made of. Measured with bench/kernels/kernels_bench
/// on one core of a Xeon at 2.5 GHz (Cascade Lake, AVX-512), 2026-11; only their ratios decide
/// which kernel runs.
namespace tessera::kernels::calibration {

constexpr double kCallSeconds = 1e-6;     // to lay out one call of the evaluator
constexpr double kBytesPerSecond = 10e9;  // streaming through memory
constexpr double kStepsPerSecond =
    6e9;  // elements of 4 bytes a block function makes, call included
constexpr double kSlowStepsPerSecond = 0.8e9;  // the same for exp, tanh, power and the like
constexpr double kBlockSeconds = 60e-9;        // to set up one block
constexpr double kFoldSeconds = 250e-9;        // to merge the lanes of one block of results
constexpr double kGatheredElementSeconds =
    0.4e-9;  // to load an element that does not lie beside the last one

constexpr double kTileStepsPerSecond = 50e9;  // 4-byte elements a function of a semiring tile makes

constexpr double kGemmFlopsPerSecondF32 = 110e9;
constexpr double kGemmFlopsPerSecondF64 = 55e9;
constexpr double kGemmComplexShare =
    0.9;  // of the real rate, at 8 real operations for a product and a sum
constexpr double kGemmCallSeconds = 250e-9;    // to enter the library once
constexpr double kPackedBytesPerSecond = 4e9;  // to bring an operand into a gemm's order

}  // namespace tessera::kernels::calibration
