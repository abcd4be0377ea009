#pragma once

#include <optional>
#include <vector>

#include "expr/scalar.h"
#include "ir/tra/keys.h"

namespace tessera::tra {

/// The verdict of interval arithmetic on a filter's predicate over a box of keys: it holds for all,
/// for none, or neither is proven. Every part of it is computed for the smallest and the largest
/// value that it can have. Exact if every dimension is read once. REQUIRES that no range is empty.
enum class Verdict { none, some, all };
Verdict holds_within(const expr::Scalar& predicate, const std::vector<KeyRange>& box);

/// The first key, in row-major order, that a filter leaves out; or that there is none; or that this
/// is unknown.
struct FirstLeftOut {
  std::optional<Key> key = std::nullopt;
  bool is_known = true;
};

/// Finds the first key that a predicate leaves out by halving boxes that intervals do not decide
/// (holds_within), so that time does not depend on the number of keys. It gives up at a bound, and
/// if a predicate computes in other numbers than integers (key_predicate.h).
FirstLeftOut first_left_out(const expr::Scalar& predicate, const std::vector<KeyDim>& key);

}  // namespace tessera::tra
