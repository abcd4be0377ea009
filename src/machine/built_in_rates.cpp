#include "machine/machine.h"

namespace tessera {

/// Returns the built-in rates. The gemm rates, and rates marked Xeon, were measured on a Xeon at
/// 2.5 GHz with AVX-512: the best of several runs of bench/kernels/beside_numpy.py, 2026-11, on a
/// shared machine, so within a factor of 1.5; the operator is named. Others were measured by the
/// named bench, on an EPYC (Zen 4, AVX-512), or on the named machine. The rest are estimates.
/// Memory that is touched for the first time takes longer than all of these.
KernelRates built_in_rates() {
  return {
      .call_seconds = 1e-6,               // an estimate
      .bytes_per_second = 8e9,            // Xeon: add, sum_all
      .streamed_bytes_per_second = 36e9,  // EPYC, in single calls on one core: where two cores
      .permuted_bytes_per_second = 22e9,  // permute at once each has half to two thirds of it
      .steps_per_second = 10e9,
      .slow_steps_per_second = 2.5e9,    // Xeon: exp, tanh
      .one_by_one_seconds = 10e-9,       // power, remainder
      .interpreted_node_seconds = 1e-8,  // Xeon
      .block_seconds = 60e-9,            // an estimate
      // Batches of products of 2 to 64 a side, 6e-9 to 14e-9 (Zen 3, AVX2).
      .row_seconds = 10e-9,
      .fold_seconds = 250e-9,              // an estimate
      .transposed_element_seconds = 2e-9,  // Xeon: transpose, permute3
      .grouped_row_seconds = 1e-9,         // bench/groups
      .grouped_merge_seconds = 1e-9,       // bench/groups
      .tile_steps_per_second = 40e9,       // Xeon: min_plus, abs_max
      .window_loads_per_second = 40e9,     // bench/windows, moving sums and pooling
      .window_line_seconds = 8e-9,         // bench/windows
      .direct_steps_per_second = 40e9,     // bench/windows
      .gemm_flops_per_second_f32 = 120e9,  // Xeon: matmul_1000_f32, matmul_4000_f32
      .gemm_flops_per_second_f64 = 57e9,   // Xeon: matmul_1000_f64
      .gemm_complex_share = 0.9,           // an estimate
      .gemm_call_seconds = 250e-9,         // an estimate
      // Batches of products of 2 to 8 a side, f32 and f64, 0.5e-9 to 1.5e-9 (Zen 3).
      .small_gemm_seconds = 10e-9,
      .small_product_seconds = 1e-9,
      // Beside gemm on 37 products of 64 to 4000 a side and batches of them, in one run. Quick
      // ones: 70e9 to 142e9, 1.1 to 2 times gemm; the rest: 60e9 to 123e9, mostly less than gemm.
      .onednn_flops_per_second = 140e9,
      .onednn_slow_flops_per_second = 90e9,
      .onednn_call_seconds = 4e-6,  // 4 * 4 * 4
      // Relative to oneDNN's f32, sides of 64 to 1500: twice as many with AVX-512 (Zen 4), a third
      // if it is emulated. With AMX 1000e9 to 1340e9 for six products of parts, 2000 to 4000 a side
      // (Xeon), and a third of that while others use the tiles of the core.
      .bf16_amx_flops_per_second = 1200e9,
      .bf16_avx512_flops_per_second = 200e9,
      .bf16_emulated_flops_per_second = 30e9,
      .split_bytes_per_second = 8e9,  // likewise, from a cache
      // Products of 1000 and 4000 a side, bench/reproducible.
      .chain_flops_per_second_f32 = 110e9,
      .chain_flops_per_second_f64 = 52e9,
      .leaf_positions_per_second = 3e9,  // bench/reproducible
      .packed_bytes_per_second = 4e9,    // an estimate
      .cached_bytes_per_second = 100e9,  // EPYC: 105e9 to 118e9, read, or read and written
      .fused_call_seconds = 1e-6,        // an estimate
      .reloaded_bytes_per_second = 6e9,  // Xeon: tanh_matmul_1000
  };
}

}  // namespace tessera
