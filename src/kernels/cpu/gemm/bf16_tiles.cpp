#include "kernels/cpu/gemm/bf16_tiles.h"

#include <algorithm>

#include <immintrin.h>

#include "kernels/cpu/gemm/bf16_parts.h"

// Compiles single functions for AMX, so that no shared code is.
#define TESSERA_FOR_AMX \
  __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512bf16")))

namespace tessera::kernels {

namespace {

constexpr int64_t kSide = 16;              // rows of a tile, and sums in a row
constexpr int64_t kDepth = 32;             // positions of k in a row of a tile of a
constexpr int64_t kTile = kSide * kDepth;  // elements of bf16
constexpr int64_t kTileStep = 64;          // bytes from a row of a tile to the next
/// The block that is multiplied at once: its rows of a, by its tiles in depth, stay in the second
/// cache while all of b passes by. Measured on 2048 and 4096 a side (Xeon, 2 MB), 2026-11: 256 x
/// 512 are 1.05 to 1.1 times as fast as halves or doubles.
constexpr int64_t kBlockRows = 256;
constexpr int64_t kBlockDepth = 512 / kDepth;

constexpr int64_t num_tiles(int64_t length, int64_t side) {
  return (length + side - 1) / side;
}

/// The magnitudes of numbers that are being split, by lane, the smallest less one: 0 is the
/// largest.
struct MagnitudeBounds {
  __m512i largest;
  __m512i smallest;
};

TESSERA_FOR_AMX inline __m512i bits_of(__m256i half) {
  return _mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16);
}

/// Splits 16 numbers into parts.
template <int64_t kParts>
TESSERA_FOR_AMX inline void split(__m512 rest, MagnitudeBounds& seen, __m256i (&parts)[kParts]) {
  const __m512i magnitude =
      _mm512_and_si512(_mm512_castps_si512(rest), _mm512_set1_epi32(0x7FFFFFFF));
  seen.largest = _mm512_max_epu32(seen.largest, magnitude);
  seen.smallest =
      _mm512_min_epu32(seen.smallest, _mm512_sub_epi32(magnitude, _mm512_set1_epi32(1)));
#pragma GCC unroll 4
  for (int64_t part = 0; part < kParts; ++part) {
    parts[part] = reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(rest));
    rest = _mm512_sub_ps(rest, _mm512_castsi512_ps(bits_of(parts[part])));
  }
}

__mmask16 mask_of(int64_t count) {
  return static_cast<__mmask16>((1U << std::clamp<int64_t>(count, 0, kSide)) - 1);
}

/// Lays out the parts of a tile of a: up to 16 rows and 32 columns.
template <int64_t kParts>
TESSERA_FOR_AMX void lay_out_a(const Rows& from, int64_t rows, int64_t columns,
                               MagnitudeBounds& seen, uint16_t* to) {
  for (int64_t row = 0; row < kSide; ++row) {
    const float* const numbers = from.first + row * from.step;
    for (int64_t half = 0; half < kDepth; half += kSide) {
      const __mmask16 mask = row < rows ? mask_of(columns - half) : __mmask16{0};
      __m256i parts[kParts];
      split<kParts>(_mm512_maskz_loadu_ps(mask, numbers + half), seen, parts);
#pragma GCC unroll 4
      for (int64_t part = 0; part < kParts; ++part) {
        uint16_t* const place = to + part * kTile + row * kDepth + half;
        _mm256_store_si256(reinterpret_cast<__m256i*>(place), parts[part]);
      }
    }
  }
}

/// Lays out the parts of a tile of b: up to 32 rows and 16 columns.
template <int64_t kParts>
TESSERA_FOR_AMX void lay_out_b(const Rows& from, int64_t rows, int64_t columns,
                               MagnitudeBounds& seen, uint16_t* to) {
  const auto mask_of_row = [=](int64_t row) {
    return row < rows ? mask_of(columns) : __mmask16{0};
  };
  for (int64_t row = 0; row < kDepth; row += 2) {
    const float* const numbers = from.first + row * from.step;
    __m256i even[kParts];
    __m256i odd[kParts];
    split<kParts>(_mm512_maskz_loadu_ps(mask_of_row(row), numbers), seen, even);
    split<kParts>(_mm512_maskz_loadu_ps(mask_of_row(row + 1), numbers + from.step), seen, odd);
#pragma GCC unroll 4
    for (int64_t part = 0; part < kParts; ++part) {
      const __m512i pairs = _mm512_or_si512(_mm512_cvtepu16_epi32(even[part]), bits_of(odd[part]));
      _mm512_store_si512(to + part * kTile + row * kSide, pairs);
    }
  }
}

/// Lays out a matrix in tiles, those of k after each other.
template <int64_t kParts, class LayOut>
TESSERA_FOR_AMX Magnitudes lay_out(const Rows& from, int64_t rows, int64_t columns,
                                   int64_t tile_rows, int64_t tile_columns, int64_t row_step,
                                   int64_t column_step, uint16_t* to, LayOut lay_out_tile) {
  MagnitudeBounds seen{_mm512_setzero_si512(), _mm512_set1_epi32(-1)};
  for (int64_t row = 0; row < rows; row += tile_rows) {
    for (int64_t column = 0; column < columns; column += tile_columns) {
      const Rows tile{from.first + row * from.step + column, from.step};
      lay_out_tile(
          tile, rows - row, columns - column, seen,
          to + (row / tile_rows * row_step + column / tile_columns * column_step) * kParts * kTile);
    }
  }
  const uint32_t less_one = _mm512_reduce_min_epu32(seen.smallest);
  return {_mm512_reduce_max_epu32(seen.largest), std::max(less_one, less_one + 1)};
}

/// The operand of `ldtilecfg`: eight tiles of 16 rows of 64 bytes. It is a constant, because GCC 12
/// assumes that the intrinsic reads only its first 8 bytes, and would not write the rest of a
/// local.
struct alignas(64) Configuration {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr Configuration kConfiguration;

/// Products of kRows tiles of a and kColumns of b, the second of each `next` elements further on.
/// Registers 0 to 3 hold the sums by rows, 4 and 5 tiles of a, 6 and 7 tiles of b.
template <int64_t kParts, int kRows, int kColumns>
struct TileCall {
  static constexpr int64_t kStep = kParts * kTile;  // to the next along k

  TESSERA_FOR_AMX static void load_a(const uint16_t* a, int64_t next) {
    _tile_loadd(4, a, kTileStep);
    if constexpr (kRows == 2) {
      _tile_loadd(5, a + next, kTileStep);
    }
  }

  TESSERA_FOR_AMX static void load_b(const uint16_t* b, int64_t next) {
    _tile_loadd(6, b, kTileStep);
    if constexpr (kColumns == 2) {
      _tile_loadd(7, b + next, kTileStep);
    }
  }

  TESSERA_FOR_AMX static void multiply() {
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kColumns == 2) {
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kRows == 2) {
      _tile_dpbf16ps(2, 5, 6);
    }
    if constexpr (kRows == 2 && kColumns == 2) {
      _tile_dpbf16ps(3, 5, 7);
    }
  }

  TESSERA_FOR_AMX static void store_sums(float* c, int64_t step) {
    const auto bytes = static_cast<size_t>(step) * sizeof(float);
    _tile_stored(0, c, bytes);
    if constexpr (kColumns == 2) {
      _tile_stored(1, c + kSide, bytes);
    }
    if constexpr (kRows == 2) {
      _tile_stored(2, c + kSide * step, bytes);
    }
    if constexpr (kRows == 2 && kColumns == 2) {
      _tile_stored(3, c + kSide * step + kSide, bytes);
    }
  }

  TESSERA_FOR_AMX static void clear_sums() {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }

  /// Adds the products of `depth` tiles along k with a part that is not the leading one, in an
  /// order that loads the fewest tiles.
  TESSERA_FOR_AMX static void add_small(const uint16_t* a, int64_t next_a, const uint16_t* b,
                                        int64_t next_b, int64_t depth) {
    for (; depth > 0; --depth, a += kStep, b += kStep) {
      load_a(a, next_a);
      if constexpr (kParts == 3) {
        load_b(b + 2 * kTile, next_b);
        multiply();
      }
      load_b(b + kTile, next_b);
      multiply();
      load_a(a + kTile, next_a);
      if constexpr (kParts == 3) {
        multiply();
      }
      load_b(b, next_b);
      multiply();
      if constexpr (kParts == 3) {
        load_a(a + 2 * kTile, next_a);
        multiply();
      }
    }
  }

  /// Adds the products of the leading parts.
  TESSERA_FOR_AMX static void add_leading(const uint16_t* a, int64_t next_a, const uint16_t* b,
                                          int64_t next_b, int64_t depth) {
    for (; depth > 0; --depth, a += kStep, b += kStep) {
      load_a(a, next_a);
      load_b(b, next_b);
      multiply();
    }
  }
};

/// One call's matrices in tiles, and c.
template <int64_t kParts>
class TileProduct {
 public:
  TileProduct(const Bf16Sizes& sizes, const uint16_t* a, const uint16_t* b, float* c)
      : sizes_(sizes), depth_(num_tiles(sizes.k, kDepth)), a_(a), b_(b), c_(c) {}

  TESSERA_FOR_AMX void run() const {
    _tile_loadconfig(&kConfiguration);
    for (int64_t first = 0; first < depth_; first += kBlockDepth) {
      const int64_t depth = std::min(kBlockDepth, depth_ - first);
      for (int64_t row = 0; row < sizes_.m; row += kBlockRows) {
        run_block(row, std::min(row + kBlockRows, sizes_.m), first, depth);
      }
    }
    _tile_release();
  }

 private:
  /// Computes rows of c, by some tiles along k from `first` on.
  void run_block(int64_t row, int64_t end, int64_t first, int64_t depth) const {
    for (int64_t column = 0; column < sizes_.n; column += 2 * kSide) {
      for (int64_t at = row; at < end; at += 2 * kSide) {
        const bool has_two_rows = end - at > kSide;
        const bool has_two_columns = sizes_.n - column > kSide;
        if (has_two_rows) {
          has_two_columns ? run_tiles<2, 2>(at, column, first, depth)
                          : run_tiles<2, 1>(at, column, first, depth);
        } else {
          has_two_columns ? run_tiles<1, 2>(at, column, first, depth)
                          : run_tiles<1, 1>(at, column, first, depth);
        }
      }
    }
  }

  template <int kRows, int kColumns>
  TESSERA_FOR_AMX void run_tiles(int64_t row, int64_t column, int64_t first, int64_t depth) const {
    using Call = TileCall<kParts, kRows, kColumns>;
    const int64_t rows = std::min(kRows * kSide, sizes_.m - row);
    const int64_t columns = std::min(kColumns * kSide, sizes_.n - column);
    const bool adds = first > 0 || sizes_.accumulate;
    const bool goes_straight = !adds && rows == kRows * kSide && columns == kColumns * kSide;
    constexpr int64_t kStepOfSums = 2 * kSide;
    // for sums that are added, or have no room in c
    alignas(64) float sums[2 * kSide * kStepOfSums];
    float* const in_c = c_ + row * sizes_.c_step + column;
    const int64_t next = depth_ * kParts * kTile;
    const uint16_t* const a = a_ + row / kSide * next + first * kParts * kTile;
    const uint16_t* const b = b_ + column / kSide * next + first * kParts * kTile;
    Call::clear_sums();
    if constexpr (kParts > 1) {
      Call::add_small(a, next, b, next, depth);
    }
    Call::add_leading(a, next, b, next, depth);
    if (goes_straight) {
      return Call::store_sums(in_c, sizes_.c_step);
    }
    Call::store_sums(sums, kStepOfSums);
    for (int64_t at = 0; at < rows; ++at) {
      const float* const from = sums + at * kStepOfSums;
      float* const to = in_c + at * sizes_.c_step;
      for (int64_t e = 0; e < columns; ++e) {
        to[e] = (adds ? to[e] : 0.0F) + from[e];
      }
    }
  }

  const Bf16Sizes& sizes_;
  int64_t depth_;  // tiles along k
  const uint16_t* a_;
  const uint16_t* b_;
  float* c_;
};

template <int64_t kParts>
bool multiply_in_parts(const Bf16Sizes& sizes, const Rows& a, const Rows& b, float* c,
                       uint16_t* parts_of_a, uint16_t* parts_of_b) {
  const auto& [m, n, k, num_parts, c_step, accumulate] = sizes;
  const int64_t depth = num_tiles(k, kDepth);
  const Magnitudes of_a =
      lay_out<kParts>(a, m, k, kSide, kDepth, depth, 1, parts_of_a, &lay_out_a<kParts>);
  const Magnitudes of_b =
      lay_out<kParts>(b, k, n, kDepth, kSide, 1, depth, parts_of_b, &lay_out_b<kParts>);
  if (!are_safe(of_a, of_b, k)) {
    return false;
  }
  TileProduct<kParts>(sizes, parts_of_a, parts_of_b, c).run();
  return true;
}

}  // namespace

Bf16Tiles::Workspace Bf16Tiles::carved(Carver& carver) const {
  const int64_t depth = num_tiles(sizes_.k, kDepth) * sizes_.num_parts * kTile;
  Workspace workspace;
  workspace.a = carver.take<uint16_t>(static_cast<size_t>(num_tiles(sizes_.m, kSide) * depth));
  workspace.b = carver.take<uint16_t>(static_cast<size_t>(num_tiles(sizes_.n, kSide) * depth));
  return workspace;
}

double Bf16Tiles::products(int64_t m, int64_t n, int64_t k) {
  return static_cast<double>(round_up(m, kSide)) * static_cast<double>(round_up(n, kSide)) *
         static_cast<double>(round_up(k, kDepth));
}

int64_t Bf16Tiles::workspace_bytes() const {
  Carver carver(nullptr);
  (void)carved(carver);
  return carver.bytes();
}

bool Bf16Tiles::multiply(const Rows& a, const Rows& b, float* c,
                         std::byte* workspace) const noexcept {
  Carver carver(workspace);
  const Workspace parts = carved(carver);
  switch (sizes_.num_parts) {
    case 1:
      return multiply_in_parts<1>(sizes_, a, b, c, parts.a.data(), parts.b.data());
    case 2:
      return multiply_in_parts<2>(sizes_, a, b, c, parts.a.data(), parts.b.data());
    default:
      return multiply_in_parts<kMostParts>(sizes_, a, b, c, parts.a.data(), parts.b.data());
  }
}

}  // namespace tessera::kernels
