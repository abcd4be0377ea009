#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// A line of windows over a line of elements; steps are in elements.
struct WindowLine {
  int64_t place_step = 1;  // between windows
  int64_t tap_step = 1;    // within a window
  int64_t num_taps = 1;
  int64_t count = 0;       // windows
  bool continues = false;  // merges into the present results
};

/// Merges every window of a line: results[i] = merge over t < num_taps of elements[i * place_step +
/// t * tap_step], from the first tap to the last; `continues` merges it into results[i]. Needs no
/// alignment, and reads only the windows' elements. REQUIRES that results and elements do not
/// overlap, and num_taps > 0.
using WindowMerge = void (*)(const void* elements, const WindowLine& line, void* results) noexcept;

/// Windows merged by a function of two arguments of one compute type.
struct WindowEntry {
  const char* merge = nullptr;
  DType type = DType::f32;
  WindowMerge run = nullptr;
};

/// Returns the merges of an instruction set: by functions that are associative and commutative, and
/// merge in registers.
std::span<const WindowEntry> window_entries(Isa isa);

}  // namespace tessera::kernels
