#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/block_function.h"
#include "types/dtype.h"

namespace tessera::kernels {

/// What a tile of a semiring product reads, all of it dense.
struct SemiringPanels {
  const void* a = nullptr;        // [depth, rows]
  const void* b = nullptr;        // [depth, columns]
  const void* weights = nullptr;  // as a or as b; null where the entry has none
  int64_t depth = 0;              // 0 < depth <= kSemiringDepth
};

/// Where it leaves its result.
struct SemiringTarget {
  void* c = nullptr;     // [rows, columns]
  void* sums = nullptr;  // as c, where the merge is kLogSumExp
  int64_t c_step = 0;    // elements from a row of c to the next
  bool adds_to_c = false;
  /// [rows, columns], dense: what rounding has taken from c so far, where the merge is a sum of
  /// floats; null where it is not kept. Zeros before the first tile over a part of the depth.
  void* lost = nullptr;
  bool returns_lost = false;  // over the last part of the depth: adds `lost` to c
};

/// The longest depth that a tile is merged over.
inline constexpr int64_t kSemiringDepth = 256;

/// Computes one tile of a semiring product: for every row r and column j,
///   c[r, j] = merge(c[r, j], merge over d of of_join(join(a[d, r], b[d, j])) * weight)
/// without c[r, j] itself where the target does not add, without the weight where there is none.
///
/// A sum of floats multiplies and adds in one rounding; it is merged over leaves of 16 positions,
/// from the first to the last of each, and the leaves pairwise. Its error is that of a pairwise
/// sum: at most (15 + log2(depth / 16)) * 2^-24 of the sum of the absolute values for f32, 2^-53
/// for f64. All else is merged from the first position to the last.
using SemiringTile = void (*)(const SemiringPanels& panels, const SemiringTarget& target) noexcept;

/// Values that a faster tile may not meet.
struct SpecialValues {
  bool has_nan = false;
  bool has_positive_infinity = false;
  bool has_negative_infinity = false;
  bool has_negative_zero = false;
  bool has_negative = false;
  bool has_huge = false;  // so that two may overflow when they are added; or NaN
};
using LookForSpecial = SpecialValues (*)(const void* numbers, int64_t count) noexcept;

inline constexpr size_t kMostSemiringStates = 2;
inline constexpr const char* kLogSumExp = "logsumexp";  // a merge, named as its aggregate is

/// Whose label beside the depth weights may have.
enum class SemiringWeights : uint8_t { none, of_rows, of_columns };

/// Functions that tiles are compiled for. Every join in the table is commutative, but for a sign
/// that of_join takes away.
struct SemiringEntry {
  const char* join = nullptr;
  const char* of_join = nullptr;  // abs or square of the join; null: the join itself
  const char* merge = nullptr;
  SemiringWeights weights = SemiringWeights::none;
  DType type = DType::f32;  // of operands and result; a compute type
  int64_t rows = 0;
  int64_t columns = 0;
  SemiringTile tile = nullptr;
  /// A faster tile where no merged value is NaN or -0 (of kLogSumExp, infinite or NaN); `tile`
  /// itself where there is none.
  SemiringTile ordinary_tile = nullptr;
  LookForSpecial special_values = nullptr;  // among numbers of the type; null where it has none
  bool sums_round = false;                  // `lost` may be kept
  size_t num_states = 1;
};

/// The tiles of an instruction set.
std::span<const SemiringEntry> semiring_entries(Isa isa);

}  // namespace tessera::kernels
