#pragma once

#include <cstdint>
#include <vector>

namespace tessera::optimizer::partition {

/// A label that may be cut.
struct Cuttable {
  int64_t extent = 0;
  bool whole = false;  // must stay in one piece
};

/// Returns the divisors of a number in ascending order.
std::vector<int64_t> divisors_of(int64_t number);

/// True if pieces of one length, the last one shorter, can be this many, or one in sixteen fewer: 5
/// elements never make 4 pieces, and 1000 make 63 if 64 are requested.
bool is_reachable(int64_t extent, int64_t num_pieces);

/// Returns viable(EinSum, p) of EinDecomp §8.1 for any p: every vector of pieces by label whose
/// product is exactly `pieces`, with entries that can be reached (is_reachable). If there is none,
/// returns those of the largest product below. At most `most` vectors: if there would be more, the
/// labels that are last in `order` stay uncut. Deterministic; not empty.
///
/// REQUIRES pieces, most >= 1; `order` is a permutation of the labels.
std::vector<std::vector<int64_t>> viable_vectors(const std::vector<Cuttable>& labels,
                                                 int64_t pieces, const std::vector<int32_t>& order,
                                                 int64_t most);

}  // namespace tessera::optimizer::partition
