#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/block_function.h"

namespace tessera::kernels {

/// Reads `count` neighbouring elements of each of some rows and writes element c of all rows, side
/// by side, to target + targets[c] (bytes). No alignment is asked for; nothing but those is read.
using PanelTranspose = void (*)(const std::byte* const* rows, int64_t count, std::byte* target,
                                const int64_t* targets) noexcept;

/// The panels of elements of `unit` bytes that have `side` rows of at least `side` elements.
struct TransposeEntry {
  int64_t unit = 0;
  int64_t side = 0;
  PanelTranspose transpose = nullptr;
};

/// `count` tuples of `ways` elements of `unit` bytes, apart and together:
///   split: to[way][e] = from[e * ways + way]      join: to[e * ways + way] = from[way][e]
/// No alignment is asked for; nothing but those is read.
struct InterleaveEntry {
  int64_t unit = 0;
  int64_t ways = 0;
  void (*split)(const std::byte* from, int64_t count, std::byte* const* to) noexcept = nullptr;
  void (*join)(const std::byte* const* from, int64_t count, std::byte* to) noexcept = nullptr;
};

/// Tuples of so many elements have loops, from two on.
constexpr size_t kMostWays = 4;

/// Writes bytes, of any alignment, whole lines past the caches.
using StreamBytes = void (*)(const std::byte* from, std::byte* to, int64_t bytes) noexcept;

/// Places in memory and in a buffer, in bytes from the first of each.
struct TilePlaces {
  int64_t count = 0;
  int64_t* memory = nullptr;
  int64_t* buffer = nullptr;
};

/// The length of runs that are written. One that was begun before starts with the first line that
/// begins in it, and one that goes on ends with the line that its last byte is in, of which the
/// buffer has up to `more` bytes.
struct RunBytes {
  int64_t bytes = 0;
  bool was_begun = false;
  int64_t more = 0;
};

/// Writes runs from a buffer, and meanwhile fetches one of the `fetched` lines of `next` into the
/// second cache for each line that is written.
using WriteRuns = void (*)(const std::byte* buffer, std::byte* to, const TilePlaces& runs,
                           RunBytes length, const std::byte* next,
                           const TilePlaces& fetched) noexcept;

/// How an instruction set moves elements: panels of 1, 2, 4, 8 and 16 bytes, those of longer
/// sides first, and tuples of 1, 2, 4 and 8.
struct TransposeCode {
  std::span<const TransposeEntry> panels;
  std::span<const InterleaveEntry> interleaves;
  StreamBytes stream = nullptr;
  WriteRuns stream_runs = nullptr;  // as StreamBytes does
  WriteRuns store_runs = nullptr;   // into the caches
};

TransposeCode transpose_code(Isa isa);

}  // namespace tessera::kernels
