#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Lines that are scanned side by side. Element `line` of step s is at step * s + stride * line, in
/// elements; results are neighbours. A step may be negative.
struct ScanBlock {
  const void* elements = nullptr;
  int64_t step = 0;
  int64_t stride = 1;
  void* results = nullptr;
  int64_t result_step = 0;
  int64_t num_steps = 0;
  int64_t num_lines = 0;
  void* state = nullptr;  // of every line: what comes before, then what the whole merges to
  bool is_exclusive = false;
};

/// Scans every line from its state, one element after the other.
using ScanLoop = void (*)(const ScanBlock&) noexcept;

/// The scan by a function of two arguments of one compute type.
struct ScanEntry {
  const char* merge = nullptr;
  DType type = DType::f32;
  ScanLoop run = nullptr;
};

/// The scans of an instruction set.
std::span<const ScanEntry> scan_entries(Isa isa);

}  // namespace tessera::kernels
