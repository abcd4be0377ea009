#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/bf16_unit.h"
#include "machine/isa.h"
#include "types/memory_kind.h"

namespace tessera {

/// How fast the cpu kernels are on one core, as their cost models count. The values that are built
/// in stand in built_in_rates.cpp, each with its origin; `tessera calibrate` measures others.
struct KernelRates {
  double call_seconds = 0;                // to lay out one call of the evaluator
  double bytes_per_second = 0;            // through memory, by a core for itself
  double streamed_bytes_per_second = 0;   // by copy, of more than a cache holds, read and written
  double permuted_bytes_per_second = 0;   // the same in another order
  double steps_per_second = 0;            // elements of 4 bytes a block function makes, in L1
  double slow_steps_per_second = 0;       // the same for series
  double one_by_one_seconds = 0;          // an element without vector code
  double interpreted_node_seconds = 0;    // one node of one element in the reference
  double block_seconds = 0;               // to set up one block
  double row_seconds = 0;                 // to copy or repeat one row of an operand into a block
  double fold_seconds = 0;                // to merge the lanes of a block of results
  double transposed_element_seconds = 0;  // an element that is read across the order of writing
  double grouped_row_seconds = 0;         // to find the result of a row
  double grouped_merge_seconds = 0;       // to come to it
  double tile_steps_per_second = 0;       // 4-byte elements a function of a semiring tile makes
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
  double small_product_seconds = 0;         // one of the products of that
  double onednn_flops_per_second = 0;       // of the products that it is quick at (gemm_onednn)
  double onednn_slow_flops_per_second = 0;  // of the rest
  double onednn_call_seconds = 0;           // to enter the primitive once
  double bf16_amx_flops_per_second = 0;     // products and sums of bf16 by unit (Bf16Unit)
  double bf16_avx512_flops_per_second = 0;
  double bf16_emulated_flops_per_second = 0;
  double split_bytes_per_second = 0;      // f32 that are read to be split in parts of bf16
  double chain_flops_per_second_f32 = 0;  // in stated order, packing apart
  double chain_flops_per_second_f64 = 0;
  double leaf_positions_per_second = 0;  // that tree_reduction brings into lanes
  double packed_bytes_per_second = 0;    // to bring an operand into a gemm's order
  double cached_bytes_per_second = 0;    // of a core's L2, read or written
  double fused_call_seconds = 0;         // to lay out one call of fused
  double reloaded_bytes_per_second = 0;  // an operand of a product, brought in again for a band
};

/// The rates that plans go by where none were measured: the same for every host, so that all
/// processes of a run make one plan.
KernelRates built_in_rates();

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
  KernelRates rates = built_in_rates();
  Caches caches;
  /// Of one site. The first is the host's, where kernels compute.
  std::vector<MemorySpace> spaces = {{}};
  FileCosts files;
  Links links;
  Granularity granularity;
  /// Through memory, by all cores together: where that is less for each than it has alone, what
  /// goes through memory takes longer. Where it was not measured, so much that it never counts, so
  /// that plans are the same on any number of cores.
  double shared_bytes_per_second = 1e12;
  std::string rates_measured;  // the date when they were; empty where they are those built in

  const MemorySpace& host() const { return spaces.front(); }
};

/// The rates of one of so many of its cores that compute at once.
KernelRates rates_beside(const Machine& machine, int32_t cores);

/// The machine that this process runs on: its instruction sets, what of its memory control groups
/// (cgroup v2 and v1) leave the process, and its threads. Rates are those built in.
Machine this_machine();

}  // namespace tessera
