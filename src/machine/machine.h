#pragma once

#include <cstdint>
#include <vector>

#include "machine/bf16_unit.h"
#include "machine/isa.h"
#include "types/memory_kind.h"

namespace tessera {

/// How fast the cpu kernels are on one core, as their cost models count.
///
/// The defaults are of a Xeon at 2.5 GHz with AVX-512. "Measured" is the best of several runs of
/// bench/kernels/beside_numpy.py, 2026-11, on a machine that was shared, so within a factor of 1.5;
/// the operator is named. The rest are estimates. Memory that is touched for the first time takes
/// longer than any of them say.
struct KernelRates {
  double call_seconds = 1e-6;     // to lay out one call of the evaluator; an estimate
  double bytes_per_second = 8e9;  // through memory; measured: add, sum_all
  /// By copy, of more than a cache holds, read and written; measured in single calls on one core of
  /// an EPYC (Zen 4). Where two cores permute at once each has half to two thirds of it
  /// (bench/limits).
  double streamed_bytes_per_second = 36e9;
  double permuted_bytes_per_second = 22e9;
  double steps_per_second = 10e9;          // elements of 4 bytes a block function makes, in L1
  double slow_steps_per_second = 2.5e9;    // the same for series; measured: exp, tanh
  double one_by_one_seconds = 10e-9;       // an element without vector code; power, remainder
  double interpreted_node_seconds = 1e-8;  // one node of one element in the reference; measured
  double block_seconds = 60e-9;            // to set up one block; an estimate
  /// To copy or repeat one row of an operand into a block; measured: batches of products of 2 to 64
  /// a side, 6e-9 to 14e-9 (Zen 3, AVX2).
  double row_seconds = 10e-9;
  double fold_seconds = 250e-9;  // to merge the lanes of a block of results; an estimate
  double transposed_element_seconds = 2e-9;  // measured: transpose, permute3
  double grouped_row_seconds = 1e-9;         // to find the result of a row; measured: bench/groups
  double grouped_merge_seconds = 1e-9;       // to come to it; measured likewise
  /// 4-byte elements a function of a semiring tile makes; measured: min_plus, abs_max.
  double tile_steps_per_second = 40e9;

  /// 4-byte elements that windows merge; measured: bench/windows, moving sums and pooling.
  double window_loads_per_second = 40e9;
  double window_line_seconds = 8e-9;  // to begin a line of windows; measured likewise
  /// Products, or other functions, of 4-byte elements that a tile of a direct convolution sums, by
  /// the operands it loads and the results it holds; measured: bench/windows.
  double direct_steps_per_second = 40e9;

  double gemm_flops_per_second_f32 = 120e9;  // measured: matmul_1000_f32, matmul_4000_f32
  double gemm_flops_per_second_f64 = 57e9;   // measured: matmul_1000_f64
  /// Of the real rate, at 8 real operations for a product and a sum; an estimate.
  double gemm_complex_share = 0.9;
  double gemm_call_seconds = 250e-9;  // to enter the library once; an estimate
  /// A product that is too small for the library (gemm/call.h), in a plain loop; measured: batches
  /// of products of 2 to 8 a side, f32 and f64, 0.5e-9 to 1.5e-9 (Zen 3).
  double small_gemm_seconds = 10e-9;
  double small_product_seconds = 1e-9;
  /// oneDNN beside gemm on 37 products of 64 to 4000 a side and batches of them, in one run. Quick:
  /// 70e9 to 142e9, 1.1 to 2 times gemm; the rest: 60e9 to 123e9, mostly less than gemm.
  double onednn_flops_per_second = 140e9;
  double onednn_slow_flops_per_second = 90e9;
  double onednn_call_seconds = 4e-6;  // to enter the primitive once; measured: 4 * 4 * 4
  /// Products and sums of bf16 by unit (Bf16Unit). Measured beside oneDNN's of f32, sides of 64 to
  /// 1500: twice as many by AVX-512 (Zen 4), a third where it is emulated. Of AMX 1500e9 for 1024 a
  /// side and 850e9 for 4000 (Xeon).
  double bf16_amx_flops_per_second = 1200e9;
  double bf16_avx512_flops_per_second = 200e9;
  double bf16_emulated_flops_per_second = 30e9;
  /// f32 that are read to be split in parts of bf16, from a cache; measured likewise.
  double split_bytes_per_second = 8e9;
  /// Packing apart; measured: products of 1000 and 4000 a side, bench/reproducible.
  double chain_flops_per_second_f32 = 110e9;
  double chain_flops_per_second_f64 = 52e9;
  /// Positions that tree_reduction brings into lanes; measured: bench/reproducible.
  double leaf_positions_per_second = 3e9;
  double packed_bytes_per_second = 4e9;   // to bring an operand into a gemm's order; an estimate
  double cached_bytes_per_second = 40e9;  // of a core's L2, read or written; an estimate
  double fused_call_seconds = 1e-6;       // to lay out one call of fused; an estimate
  /// An operand of a product, brought in again for a band; measured: tanh_matmul_1000.
  double reloaded_bytes_per_second = 6e9;
};

/// What stays close to a core.
struct Caches {
  /// Of one core's L2: what the statements of a fused program hand on stays there. Measured on
  /// softmax_8192, layer_norm, attention_2048 and tanh_matmul_64: bands of half of it are as fast
  /// for rows and 1.07 times slower before products, of a quarter 1.04 and 1.4 times.
  int64_t core_bytes = int64_t{1} << 20;
  /// Of a core's share of the last cache: tiles of a call that stay there.
  int64_t shared_bytes = int64_t{4} << 20;
};

/// A memory that tiles lie in, with a budget of its own.
struct MemorySpace {
  MemoryKind kind = MemoryKind::host;
  int64_t bytes = 0;  // that this process may use; 0 where it is not known
  /// To write to pages that the process touches for the first time: 2e9 (measured, pages of 4 KiB,
  /// 2026-11); half of the tiles are taken to lie in such.
  double new_bytes_per_second = 4e9;
  /// Smaller tiles lie in memory that was used before, and in a cache.
  int64_t fewest_new_bytes = int64_t{64} << 10;
};

/// What moving tiles between files and memory costs, for one thread.
///
/// Measured in C++ alone on two cores of a Xeon at 2.5 GHz with ext4, 2026-11, as CPU seconds; a
/// file is in the system's cache where that is not said.
struct FileCosts {
  /// Every byte once: read from disk past the cache (measured), or written to new pages (2.6e9) and
  /// brought to the disk.
  double bytes_per_second = 1.7e9;
  /// Every byte of a span (types/box_spans.h), gaps included. Measured in spans of 256 KiB: 23e9
  /// read and 15e9 written; 12e9 and 9.5e9 where the buffer was not in the CPU's cache.
  double span_bytes_read_per_second = 12e9;
  double span_bytes_written_per_second = 9e9;
  double read_call_seconds = 0.4e-6;   // measured: 0.37e-6 for 4 bytes, 0.66e-6 for 4096
  double write_call_seconds = 1.3e-6;  // measured: 1.21e-6 for 4 bytes, 1.96e-6 for 4096
  double run_seconds = 3e-9;           // to copy a run into or out of a span; measured: 1.6e-9 up
                                       // to 64 bytes, 5e-9 for 256
  double transposed_element_seconds = 2e-9;  // of a column-major file; as KernelRates has it
};

/// A way that bytes take from one place to another.
struct Link {
  double bytes_per_second = 0;
  double latency_seconds = 0;  // until the first of them arrives

  /// Of one transfer that has the link for itself.
  double seconds(double bytes) const { return latency_seconds + bytes / bytes_per_second; }
};

/// The ways between the places where tiles are.
struct Links {
  Link copy = {11e9};  // within memory, by one thread; measured on two cores, 2026-11
  Link spill = {1e9};  // to the spill file or back, in part behind the kernels; an estimate
  Link network = {1.25e9, 50e-6};  // between sites, from one to one other: 10 Gb/s; an estimate
};

/// Work that is too small to be a call, a thread or a task of its own, and how many calls a plan
/// may have.
struct Granularity {
  double least_call_flops = 1e6;
  int64_t least_call_bytes = int64_t{256} << 10;
  /// Where a budget asks for fine cuts: smaller tiles cost more to manage than to compute.
  int64_t least_budget_call_bytes = int64_t{64} << 10;
  /// Calls of all statements together beyond which plans are not cut finer: so many are up to
  /// 60,000 tasks, which take about 40 MB that the process holds beside its budget, and time to
  /// make.
  int64_t most_calls = 25'000;
  /// A run that takes less, by the plan's estimate, stays on the calling thread: two others take
  /// 26 us to start and end (measured on two cores, 2026-11) and every hand-over some more.
  double least_parallel_seconds = 300e-6;
};

/// The machine that is planned for, as a value: cost models read it and nothing else.
struct Machine {
  Isa isa = Isa::scalar;
  Bf16Unit bf16 = Bf16Unit::none;
  int32_t threads = 1;  // that may run at once
  KernelRates rates;
  Caches caches;
  /// Of one site. The first is the host's, where kernels compute.
  std::vector<MemorySpace> spaces = {{}};
  FileCosts files;
  Links links;
  Granularity granularity;

  const MemorySpace& host() const { return spaces.front(); }
};

/// The machine that this process runs on: its instruction sets, what of its memory control groups
/// (cgroup v2 and v1) leave the process, and its threads. Rates are the defaults.
Machine this_machine();

}  // namespace tessera
