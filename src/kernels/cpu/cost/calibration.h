#pragma once

/// What the cost models of the cpu kernels are made of, for one core of a Xeon at 2.5 GHz
/// (AVX-512).
///
/// "Measured" is the best of several runs of bench/kernels/beside_numpy.py, 2026-11, on a machine
/// that was shared, so within a factor of 1.5; the operator is named. The rest are estimates.
/// Memory that is touched for the first time takes longer than any of them say.
namespace tessera::kernels::calibration {

constexpr double kCallSeconds = 1e-6;          // to lay out one call of the evaluator; an estimate
constexpr double kBytesPerSecond = 8e9;        // through memory; measured: add, sum_all
constexpr double kStepsPerSecond = 10e9;       // elements of 4 bytes a block function makes, in L1
constexpr double kSlowStepsPerSecond = 2.5e9;  // the same for exp, tanh and the like; exp, tanh
constexpr double kOneByOneSeconds =
    10e-9;                               // an element of what is not vectorised; power, remainder
constexpr double kBlockSeconds = 60e-9;  // to set up one block; an estimate
// To copy or repeat one row of an operand into a block; measured: batches of products of 2 to 64 a
// side, 6e-9 to 14e-9 (Zen 3, AVX2).
constexpr double kRowSeconds = 10e-9;
constexpr double kFoldSeconds = 250e-9;  // to merge the lanes of a block of results; an estimate
constexpr double kTransposedElementSeconds = 2e-9;  // measured: transpose, permute3
constexpr double kTileStepsPerSecond =
    40e9;  // 4-byte elements a function of a semiring tile makes; measured: min_plus, abs_max

constexpr double kGemmFlopsPerSecondF32 = 120e9;  // measured: matmul_1000_f32, matmul_4000_f32
constexpr double kGemmFlopsPerSecondF64 = 57e9;   // measured: matmul_1000_f64
constexpr double kGemmComplexShare =
    0.9;  // of the real rate, at 8 real operations for a product and a sum; an estimate
constexpr double kGemmCallSeconds = 250e-9;  // to enter the library once; an estimate
// A product that is too small for the library (gemm/call.h), in a plain loop; measured: batches of
// products of 2 to 8 a side, f32 and f64, 0.5e-9 to 1.5e-9 (Zen 3).
constexpr double kSmallGemmSeconds = 10e-9;
constexpr double kSmallProductSeconds = 1e-9;
// oneDNN beside gemm on 37 products of 64 to 4000 a side and batches of them, in one run. Quick:
// 70e9 to 142e9, 1.1 to 2 times gemm; the rest: 60e9 to 123e9, mostly less than gemm.
constexpr double kOneDnnFlopsPerSecond = 140e9;
constexpr double kOneDnnSlowFlopsPerSecond = 90e9;
constexpr double kOneDnnCallSeconds = 4e-6;  // to enter the primitive once; 4 * 4 * 4
constexpr double kChainFlopsPerSecondF32 =
    110e9;  // packing apart; measured: products of 1000 and 4000 a side, bench/reproducible
constexpr double kChainFlopsPerSecondF64 = 52e9;  // the same
constexpr double kLeafPositionsPerSecond =
    3e9;  // positions a tree_reduction brings into lanes; measured: bench/reproducible
constexpr double kPackedBytesPerSecond =
    4e9;  // to bring an operand into a gemm's order; an estimate

// Of a fused program (fused/plan.h). What its statements hand on stays in a core's L2 cache, 1 MiB
// here. Measured on softmax_8192, layer_norm, attention_2048 and tanh_matmul_64: a half is as fast
// for rows and 1.07 times slower before products, a quarter 1.04 and 1.4 times.
constexpr int64_t kBandBytes = 1024 * 1024;
constexpr double kCachedBytesPerSecond = 40e9;  // read or written there; an estimate
constexpr double kFusedCallSeconds = 1e-6;      // to lay out one call; an estimate
constexpr double kReloadedBytesPerSecond =
    6e9;  // an operand of a product, brought in again for a band; measured: tanh_matmul_1000

}  // namespace tessera::kernels::calibration
