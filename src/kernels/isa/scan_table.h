#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// The entries of the largest state that a loop scans.
constexpr size_t kMostScanned = 2;

/// Lines that are scanned side by side. For entry e, the element of line l at step s is at step[e]
/// * s + stride[e] * l, in elements; results are neighbours. A step may be negative.
struct ScanBlock {
  std::array<const void*, kMostScanned> elements{};
  std::array<int64_t, kMostScanned> step{};
  std::array<int64_t, kMostScanned> stride{};
  void* results = nullptr;  // of the first entry; null if only the states are needed
  int64_t result_step = 0;
  int64_t num_steps = 0;
  int64_t num_lines = 0;
  /// The state of every line: before the scan, then after it.
  std::array<void*, kMostScanned> state{};
  bool is_exclusive = false;
};

/// Scans every line from its state, one element after the other.
using ScanLoop = void (*)(const ScanBlock&) noexcept;

/// The scan by a function of two arguments of one compute type, or by the recurrence kRecurrence.
struct ScanEntry {
  const char* merge = nullptr;
  DType type = DType::f32;
  ScanLoop run = nullptr;
};

/// State (z, w), merged as (y + v * z, w * v) with the element (y, v).
inline constexpr const char* kRecurrence = "recurrence";

/// Returns the scans of an instruction set.
std::span<const ScanEntry> scan_entries(Isa isa);

}  // namespace tessera::kernels
