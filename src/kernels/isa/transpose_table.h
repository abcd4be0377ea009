#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/block_function.h"

namespace tessera::kernels {

/// Reads `count` neighbouring elements of each of some rows and writes element c of all rows, side
/// by side, to target + targets[c] (bytes). Needs no alignment, and reads nothing else.
using PanelTranspose = void (*)(const std::byte* const* rows, int64_t count, std::byte* target,
                                const int64_t* targets) noexcept;

/// The panels of elements of `unit` bytes that have `side` rows of at least `side` elements.
struct TransposeEntry {
  int64_t unit = 0;
  int64_t side = 0;
  PanelTranspose transpose = nullptr;
};

/// The loops that split and join `count` tuples of `ways` elements of `unit` bytes:
///   split: to[way][e] = from[e * ways + way]      join: to[e * ways + way] = from[way][e]
/// They need no alignment, and read nothing else.
struct InterleaveEntry {
  int64_t unit = 0;
  int64_t ways = 0;
  void (*split)(const std::byte* from, int64_t count, std::byte* const* to) noexcept = nullptr;
  void (*join)(const std::byte* const* from, int64_t count, std::byte* to) noexcept = nullptr;
};

/// The longest tuples with loops, from two elements on.
constexpr size_t kMostWays = 4;

/// Writes bytes, of any alignment, whole lines past the caches.
using StreamBytes = void (*)(const std::byte* from, std::byte* to, int64_t bytes) noexcept;

/// Places in memory and in a buffer, in bytes from the first of each.
struct TilePlaces {
  int64_t count = 0;
  int64_t* memory = nullptr;
  int64_t* buffer = nullptr;
};

/// The length of written runs. A run that was begun before starts with the first line that begins
/// in it. One that continues ends with the line that its last byte is in, of which the buffer has
/// up to `more` bytes.
struct RunBytes {
  int64_t bytes = 0;
  bool was_begun = false;
  int64_t more = 0;
};

/// Writes runs from a buffer, and prefetches one of the `fetched` lines of `next` into the second
/// cache for each written line.
using WriteRuns = void (*)(const std::byte* buffer, std::byte* to, const TilePlaces& runs,
                           RunBytes length, const std::byte* next,
                           const TilePlaces& fetched) noexcept;

/// The moves of an instruction set: panels of 1, 2, 4, 8 and 16 bytes, longer sides first, and
/// tuples of 1, 2, 4 and 8.
struct TransposeCode {
  std::span<const TransposeEntry> panels;
  std::span<const InterleaveEntry> interleaves;
  StreamBytes stream = nullptr;
  WriteRuns stream_runs = nullptr;  // past the caches, like StreamBytes
  WriteRuns store_runs = nullptr;   // into the caches
};

TransposeCode transpose_code(Isa isa);

}  // namespace tessera::kernels
