#pragma once

#include <optional>
#include <vector>

#include "expr/scalar.h"
#include "ir/tra/keys.h"

namespace tessera::tra {

/// Whether a filter's predicate holds for all keys of a box, for none of them, or for neither as
/// far as intervals say: every part of it is computed for the smallest and the largest value that
/// it can have. Exact where every dimension is read once. REQUIRES that no range is empty.
enum class Verdict { none, some, all };
Verdict holds_within(const expr::Scalar& predicate, const std::vector<KeyRange>& box);

/// The keys that a filter leaves out, in row-major order: the first one; or that there is none; or
/// that this was not found out.
struct FirstLeftOut {
  std::optional<Key> key = std::nullopt;
  bool is_known = true;
};

/// Looks for the first key that a predicate leaves out by halving boxes of which intervals do not
/// tell (holds_within), so that time does not depend on how many keys there are. It gives up at a
/// bound, and where a predicate computes in other numbers than integers (key_predicate.h).
FirstLeftOut first_left_out(const expr::Scalar& predicate, const std::vector<KeyDim>& key);

}  // namespace tessera::tra
