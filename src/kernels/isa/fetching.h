#pragma once

/// Compiled once per instruction set, like the block loops.
namespace tessera::kernels::TESSERA_ISA {

/// Bytes that are prefetched in a loop that walks memory from end to end.
constexpr int kBytesAhead = 4096;

/// True if such a loop prefetches: the prefetching of Intel's processors stops at every page of 4
/// KiB (row sums and maxima took 1.15 to 1.4 times as long without). That of AMD's goes on, and
/// further requests slow it down: on a Zen 4 sums of rows of f32 took 1.25 times as long as
/// reading, and 1.08 times without (2026-11).
inline bool fetches_ahead() {
  return __builtin_cpu_is("intel") != 0;
}

}  // namespace tessera::kernels::TESSERA_ISA
