#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/bf16_unit.h"
#include "machine/isa.h"
#include "types/memory_kind.h"

namespace tessera {

/// The speed of the cpu kernels on one core, in the units of their cost models. The built-in values
/// are in built_in_rates.cpp, each with its origin; `tessera calibrate` measures others.
struct KernelRates {
  double call_seconds = 0;                // to lay out one call of the evaluator
  double bytes_per_second = 0;            // through memory, by a core on its own
  double streamed_bytes_per_second = 0;   // by copy, beyond any cache, read and written
  double permuted_bytes_per_second = 0;   // likewise, in another order
  double steps_per_second = 0;            // 4-byte elements of a block function, in L1
  double slow_steps_per_second = 0;       // likewise, for series
  double one_by_one_seconds = 0;          // an element without vector code
  double interpreted_node_seconds = 0;    // one node of one element in the reference
  double block_seconds = 0;               // to set up one block
  double row_seconds = 0;                 // to copy or repeat one row of an operand into a block
  double fold_seconds = 0;                // to merge the lanes of a block of results
  double transposed_element_seconds = 0;  // an element read across the order of writing
  double grouped_row_seconds = 0;         // to find the result of a row
  double grouped_merge_seconds = 0;       // to reach it
  double tile_steps_per_second = 0;       // 4-byte elements of a function of a semiring tile
  double window_loads_per_second = 0;     // 4-byte elements that windows merge
  double window_line_seconds = 0;         // to begin a line of windows
  /// Products, or other functions, of 4-byte elements that a tile of a direct convolution sums, by
  /// the operands it loads and the results it holds.
  double direct_steps_per_second = 0;
  double gemm_flops_per_second_f32 = 0;
  double gemm_flops_per_second_f64 = 0;
  double gemm_complex_share = 0;  // of the real rate, at 8 real operations for a product and a sum
  double gemm_call_seconds = 0;   // to enter the library once
  double small_gemm_seconds = 0;  // a product too small for the library (gemm/call.h), in a loop
  double small_product_seconds = 0;         // one of its products
  double onednn_flops_per_second = 0;       // of the products it is quick at (gemm_onednn)
  double onednn_slow_flops_per_second = 0;  // of the rest
  double onednn_call_seconds = 0;           // to enter the primitive once
  double bf16_amx_flops_per_second = 0;     // products and sums of bf16 by unit (Bf16Unit)
  double bf16_avx512_flops_per_second = 0;
  double bf16_emulated_flops_per_second = 0;
  double split_bytes_per_second = 0;      // f32 read to be split into parts of bf16
  double chain_flops_per_second_f32 = 0;  // in stated order, without packing
  double chain_flops_per_second_f64 = 0;
  double leaf_positions_per_second = 0;  // loaded into lanes by tree_reduction
  double packed_bytes_per_second = 0;    // to copy an operand into a gemm's order
  double cached_bytes_per_second = 0;    // of a core's L2, read or written
  double fused_call_seconds = 0;         // to lay out one call of fused
  double reloaded_bytes_per_second = 0;  // an operand of a product, loaded again for a band
};

/// Returns the rates that plans use if none were measured: the same for every host, so that all
/// processes of a run make one plan.
KernelRates built_in_rates();

/// The caches of a core.
struct Caches {
  /// Bytes of one core's L2: results passed between the statements of a fused program stay there.
  /// Measured on softmax_8192, layer_norm, attention_2048 and tanh_matmul_64: bands of half of it
  /// are as fast for rows and 1.07 times slower before products, of a quarter 1.04 and 1.4 times.
  int64_t core_bytes = int64_t{1} << 20;
  /// Bytes of a core's share of the last cache: tiles of a call stay there.
  int64_t shared_bytes = int64_t{4} << 20;
};

/// A memory for tiles, with a budget of its own.
struct MemorySpace {
  MemoryKind kind = MemoryKind::host;
  int64_t bytes = 0;  // that this process may use; 0 if unknown
  /// Rate of writing to pages that the process touches for the first time: 2e9 (measured, pages of
  /// 4 KiB, 2026-11); half of the tiles are assumed to be on such pages.
  double new_bytes_per_second = 4e9;
  /// Smaller tiles use memory that was used before, and is in a cache.
  int64_t fewest_new_bytes = int64_t{64} << 10;
};

/// The costs of moving tiles between files and memory, for one thread.
///
/// Measured in C++ alone on two cores of a Xeon at 2.5 GHz with ext4, 2026-11, as CPU seconds;
/// files are in the system's cache unless noted.
struct FileCosts {
  /// Rate of every byte once: read from disk past the cache (measured), or written to new pages
  /// (2.6e9) and to the disk.
  double bytes_per_second = 1.7e9;
  /// Rate of every byte of a span (types/box_spans.h), gaps included. Measured in spans of 256 KiB:
  /// 23e9 read and 15e9 written; 12e9 and 9.5e9 if the buffer was not in the CPU's cache.
  double span_bytes_read_per_second = 12e9;
  double span_bytes_written_per_second = 9e9;
  double read_call_seconds = 0.4e-6;   // measured: 0.37e-6 for 4 bytes, 0.66e-6 for 4096
  double write_call_seconds = 1.3e-6;  // measured: 1.21e-6 for 4 bytes, 1.96e-6 for 4096
  double run_seconds = 3e-9;           // to copy a run into or out of a span; measured: 1.6e-9 up
                                       // to 64 bytes, 5e-9 for 256
  double transposed_element_seconds = 2e-9;  // of a column-major file; like in KernelRates
};

/// A link by which bytes get from one place to another.
struct Link {
  double bytes_per_second = 0;
  double latency_seconds = 0;  // until the first of them arrives

  /// Returns the seconds of one transfer that has the link to itself.
  double seconds(double bytes) const { return latency_seconds + bytes / bytes_per_second; }
};

/// The links between the places of tiles.
struct Links {
  Link copy = {11e9};  // within memory, by one thread; measured on two cores, 2026-11
  Link spill = {1e9};  // to the spill file or back, partly hidden by kernels; an estimate
  Link network = {1.25e9, 50e-6};  // between sites, from one to one other: 10 Gb/s; an estimate
};

/// The least work worth a call, a thread or a task of its own, and the most calls of a plan.
struct Granularity {
  double least_call_flops = 1e6;
  int64_t least_call_bytes = int64_t{256} << 10;
  /// If a budget requires fine cuts: smaller tiles cost more to manage than to compute.
  int64_t least_budget_call_bytes = int64_t{64} << 10;
  /// The most calls of all statements together; beyond, plans are not cut finer. They are up to
  /// 60,000 tasks, which take about 40 MB that the process holds beside its budget, and time to
  /// make.
  int64_t most_calls = 25'000;
  /// A run that takes less, by the plan's estimate, stays on the calling thread: two others take 26
  /// us to start and end (measured on two cores, 2026-11) and every hand-over some more.
  double least_parallel_seconds = 300e-6;
};

/// The machine that is planned for, as a value: cost models read nothing else.
struct Machine {
  Isa isa = Isa::scalar;
  Bf16Unit bf16 = Bf16Unit::none;
  int32_t threads = 1;  // that may run at once
  KernelRates rates = built_in_rates();
  Caches caches;
  /// The spaces of one site. The first is the host's, where kernels compute.
  std::vector<MemorySpace> spaces = {{}};
  FileCosts files;
  Links links;
  Granularity granularity;
  /// Rate through memory of all cores together: if a core's share of it is less than its own rate,
  /// memory traffic takes longer. If it was not measured, it is too large to count, so that plans
  /// are the same on any number of cores.
  double shared_bytes_per_second = 1e12;
  std::string rates_measured;  // date of measurement; empty for built-in rates

  const MemorySpace& host() const { return spaces.front(); }
};

/// Returns the rates of one of `cores` cores that compute at once.
KernelRates rates_beside(const Machine& machine, int32_t cores);

/// Returns the machine that this process runs on: its instruction sets, the memory that control
/// groups (cgroup v2 and v1) leave the process, and its threads. Rates are built in.
Machine this_machine();

}  // namespace tessera
