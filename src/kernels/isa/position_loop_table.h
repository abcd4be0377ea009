#pragma once

#include <cstdint>
#include <span>

#include "machine/isa.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// Integers of a table that are positions of a mode: `count` of them, one every `step` elements.
/// The mode has elements [origin, origin + extent), one every `stride` bytes.
struct Positions {
  const void* numbers = nullptr;
  int64_t step = 1;
  int64_t count = 0;
  int64_t origin = 0;
  int64_t extent = 0;
  int64_t stride = 0;
};

/// The loops over positions of one integer type. Each returns false if some position lies outside
/// of its mode; the written places are then undefined.
struct PositionLoops {
  DType type = DType::i64;
  bool (*are_inside)(const Positions& positions) noexcept = nullptr;
  /// Sets places[k] = first + k * row_step + the place of position k.
  bool (*set)(const Positions& positions, int64_t first, int64_t row_step,
              int64_t* places) noexcept = nullptr;
  /// Adds the place of position k to places[k].
  bool (*add)(const Positions& positions, int64_t* places) noexcept = nullptr;
};

/// Returns the loops of an instruction set, one of each integer type.
std::span<const PositionLoops> position_loops(Isa isa);

}  // namespace tessera::kernels
