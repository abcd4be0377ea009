#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// The operands of a tile of a semiring product, all dense.
struct SemiringPanels {
  const void* a = nullptr;        // [depth, rows]
  const void* b = nullptr;        // [depth, columns]
  const void* weights = nullptr;  // like a or like b; null if the entry has none
  int64_t depth = 0;              // 0 < depth <= kSemiringDepth
};

/// The target of a tile's result.
struct SemiringTarget {
  void* c = nullptr;     // [rows, columns]
  void* sums = nullptr;  // like c, if the merge is kLogSumExp
  int64_t c_step = 0;    // elements between rows of c
  bool adds_to_c = false;
  /// [rows, columns], dense: the rounding losses of c so far, if the merge is a sum of floats; null
  /// if they are not kept. Zeros before the first tile over a part of the depth.
  void* lost = nullptr;
  bool returns_lost = false;  // over the last part of the depth: adds `lost` to c
};

/// The greatest depth that a tile is merged over.
inline constexpr int64_t kSemiringDepth = 256;

/// Computes one tile of a semiring product: for every row r and column j,
///   c[r, j] = merge(c[r, j], merge over d of of_join(join(a[d, r], b[d, j])) * weight)
/// without c[r, j] itself if the target does not add, without the weight if there is none.
///
/// A sum of floats multiplies and adds in one rounding; it is merged over leaves of 16 positions,
/// from the first to the last of each, and the leaves pairwise. Its error is that of a pairwise
/// sum: at most (15 + log2(depth / 16)) * 2^-24 of the sum of the absolute values for f32, 2^-53
/// for f64. All other merges go from the first position to the last.
using SemiringTile = void (*)(const SemiringPanels& panels, const SemiringTarget& target) noexcept;

/// Values that a faster tile may not meet.
struct SpecialValues {
  bool has_nan = false;
  bool has_positive_infinity = false;
  bool has_negative_infinity = false;
  bool has_negative_zero = false;
  bool has_negative = false;
  bool has_huge = false;  // so that the sum of two may overflow; or NaN
};
using LookForSpecial = SpecialValues (*)(const void* numbers, int64_t count) noexcept;

inline constexpr size_t kMostSemiringStates = 2;
inline constexpr const char* kLogSumExp = "logsumexp";  // a merge, named as its aggregate is

/// The operand whose label beside the depth weights may have.
enum class SemiringWeights : uint8_t { none, of_rows, of_columns };

/// Functions that tiles are compiled for. Every join in the table is commutative, except for a sign
/// that of_join removes.
struct SemiringEntry {
  const char* join = nullptr;
  const char* of_join = nullptr;  // abs or square of the join; null: the join itself
  const char* merge = nullptr;
  SemiringWeights weights = SemiringWeights::none;
  DType type = DType::f32;  // of operands and result; a compute type
  int64_t rows = 0;
  int64_t columns = 0;
  SemiringTile tile = nullptr;
  /// A faster tile for merged values that are never NaN or -0 (for kLogSumExp, infinite or NaN);
  /// `tile` itself if there is none.
  SemiringTile ordinary_tile = nullptr;
  LookForSpecial special_values = nullptr;  // among numbers of the type; null if it has none
  bool sums_round = false;                  // `lost` may be kept
  size_t num_states = 1;
};

/// Returns the tiles of an instruction set.
std::span<const SemiringEntry> semiring_entries(Isa isa);

}  // namespace tessera::kernels
