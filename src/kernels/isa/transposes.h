#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/isa/registers.h"
#include "kernels/isa/transpose_table.h"

/// Panels transposed in registers, and lines written past the caches. Compiled once per instruction
/// set.
namespace tessera::kernels::TESSERA_ISA {

/// Moves element (row, column) of every lane, a row in each register, to (column, row). One round
/// interleaves register i with register i + half of them, like shuffling cards; log2 of the
/// elements of a lane rounds bring each to its place. Does the last `kRounds` rounds.
template <class T, int64_t kBytes, int kRounds, size_t kCount>
void shuffle(typename Register<kBytes>::Type (&rows)[kCount]) {
  if constexpr (kRounds > 0) {
    typename Register<kBytes>::Type shuffled[kCount];
#pragma GCC unroll 16
    for (size_t row = 0; row < kCount / 2; ++row) {
      shuffled[2 * row] = Register<kBytes>::template low<T>(rows[row], rows[row + kCount / 2]);
      shuffled[2 * row + 1] = Register<kBytes>::template high<T>(rows[row], rows[row + kCount / 2]);
    }
    shuffle<T, kBytes, kRounds - 1>(shuffled);
#pragma GCC unroll 16
    for (size_t row = 0; row < kCount; ++row) {
      rows[row] = shuffled[row];
    }
  }
}

/// Returns log2 of the number of elements of T in this many bytes.
template <class T>
constexpr int rounds_of(size_t bytes) {
  int rounds = 0;
  for (; bytes > sizeof(T); bytes /= 2) {
    ++rounds;
  }
  return rounds;
}

/// Transposes a square of kBytes a side. Whole lines of the rows are loaded at once, because rows
/// that are a power of two apart push each other's lines out of the first cache.
///
/// Rows i, i + kSide, i + 2 * kSide, ... exchange lanes, so that register i of group l has lane l
/// of each; every group is then shuffled within its lanes.
template <class T, int64_t kBytes>
void transpose_square(const std::byte* const* rows, int64_t offset, std::byte* target,
                      const int64_t* targets) {
  using Lanes = Register<kBytes>;
  constexpr size_t kSide = 16 / sizeof(T);
  typename Lanes::Type groups[Lanes::kLanes][kSide];
#pragma GCC unroll 16
  for (size_t row = 0; row < kSide; ++row) {
    typename Lanes::Type block[Lanes::kLanes];
#pragma GCC unroll 4
    for (size_t lane = 0; lane < Lanes::kLanes; ++lane) {
      block[lane] = Lanes::load(rows[row + lane * kSide] + offset);
    }
    Lanes::transpose_lanes(block);
#pragma GCC unroll 4
    for (size_t lane = 0; lane < Lanes::kLanes; ++lane) {
      groups[lane][row] = block[lane];
    }
  }
#pragma GCC unroll 4
  for (size_t lane = 0; lane < Lanes::kLanes; ++lane) {
    shuffle<T, kBytes, rounds_of<T>(16)>(groups[lane]);
#pragma GCC unroll 16
    for (size_t row = 0; row < kSide; ++row) {
      Lanes::store(target + targets[lane * kSide + row], groups[lane][row]);
    }
  }
}

/// Transposes a square of 8 bytes a side, two rows in a register.
template <class T>
void transpose_narrow_square(const std::byte* const* rows, int64_t offset, std::byte* target,
                             const int64_t* targets) {
  constexpr size_t kPairs = 4 / sizeof(T);
  const auto load = [&](size_t row) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(rows[row] + offset));
  };
  __m128i pairs[kPairs];
#pragma GCC unroll 8
  for (size_t row = 0; row < kPairs; ++row) {
    pairs[row] = Register<16>::low<T>(load(row), load(row + kPairs));
  }
  shuffle<T, 16, rounds_of<T>(8) - 1>(pairs);
#pragma GCC unroll 8
  for (size_t row = 0; row < kPairs; ++row) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(target + targets[2 * row]), pairs[row]);
    _mm_storeh_pd(reinterpret_cast<double*>(target + targets[2 * row + 1]),
                  _mm_castsi128_pd(pairs[row]));
  }
}

/// Transposes square after square; the last may overlap the one before.
template <class T, int64_t kBytes>
void transpose_panel(const std::byte* const* rows, int64_t count, std::byte* target,
                     const int64_t* targets) noexcept {
  constexpr auto kUnit = static_cast<int64_t>(sizeof(T));
  constexpr int64_t kSide = kBytes / kUnit;
  for (int64_t column = 0; column < count; column += kSide) {
    const int64_t start = std::min(column, count - kSide);
    if constexpr (kBytes == 8) {
      transpose_narrow_square<T>(rows, start * kUnit, target, targets + start);
    } else {
      transpose_square<T, kBytes>(rows, start * kUnit, target, targets + start);
    }
  }
}

constexpr int64_t kLine = 64;

/// Returns the bytes from an address to the first line that begins there or later.
inline int64_t to_next_line(const std::byte* address) {
  return static_cast<int64_t>(-reinterpret_cast<uintptr_t>(address) % kLine);
}

/// Writes bytes, whole lines past the caches if kStreams; calls `after` after each line.
template <bool kStreams, class AfterLine>
inline void write_lines(const std::byte* from, std::byte* to, int64_t bytes,
                        const AfterLine& after) {
  int64_t at = std::min(bytes, to_next_line(to));
  if (at > 0) {
    std::memcpy(to, from, static_cast<size_t>(at));
    after();
  }
  for (; at + kLine <= bytes; at += kLine) {
#pragma GCC unroll 4
    for (int64_t part = 0; part < kLine; part += kRegisterBytes) {
      using Lanes = Register<kRegisterBytes>;
      if constexpr (kStreams) {
        Lanes::stream(to + at + part, Lanes::load(from + at + part));
      } else {
        Lanes::store(to + at + part, Lanes::load(from + at + part));
      }
    }
    after();
  }
  if (at < bytes) {
    std::memcpy(to + at, from + at, static_cast<size_t>(bytes - at));
  }
}

inline void stream_bytes(const std::byte* from, std::byte* to, int64_t bytes) noexcept {
  write_lines<true>(from, to, bytes, [] {});
}

template <bool kStreams>
inline void write_runs(const std::byte* buffer, std::byte* to, const TilePlaces& runs,
                       RunBytes length, const std::byte* next, const TilePlaces& fetched) noexcept {
  const int64_t* line = fetched.memory;
  const int64_t* const end = line + fetched.count;
  const auto fetch = [&] {
    if (line != end) {
      _mm_prefetch(reinterpret_cast<const char*>(next + *line++), _MM_HINT_T1);
    }
  };
  const int64_t* const places = runs.memory;
  const int64_t* const sources = runs.buffer;
  const int64_t count = runs.count;
  for (int64_t run = 0; run < count; ++run) {
    std::byte* const target = to + places[run];
    const int64_t begin = length.was_begun ? to_next_line(target) : 0;
    const int64_t rest = std::min(length.more, to_next_line(target + length.bytes));
    write_lines<kStreams>(buffer + sources[run] + begin, target + begin,
                          length.bytes + rest - begin, fetch);
  }
  while (line != end) {
    fetch();
  }
}

template <class T, int64_t kBytes>
constexpr TransposeEntry transpose_entry() {
  constexpr auto kUnit = static_cast<int64_t>(sizeof(T));
  return {kUnit, kBytes / kUnit, &transpose_panel<T, kBytes>};
}

}  // namespace tessera::kernels::TESSERA_ISA
