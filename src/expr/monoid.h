#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/scalar.h"

namespace tessera::expr {

/// How values are merged: an associative operation on a state of one or more numbers, and its
/// identity.
///
/// `combine` has one scalar per state entry, over Parameters 0..n-1 (the left state) and n..2n-1
/// (the right state). combine(identity, x) = x. A state of one entry that is the element itself is
/// the usual ⊕ (sum, max, ...); argmax carries (value, index). Names of a language's own aggregates
/// keep the name; a user's aggregate has the name he gave it, and its text is its combine.
struct Monoid {
  std::string name;
  std::vector<DType> state;
  std::vector<Scalar> combine;
  std::vector<Literal> identity;
  bool is_commutative = true;  // one that is not merges in the order of a scan only
  friend bool operator==(const Monoid&, const Monoid&) = default;
};

/// An aggregate applied to elements of one dtype: what turns an element into a state, merges states
/// and reads the result from a state.
///
/// `lift` has one scalar per state entry over Parameter 0 (the element) and Parameter 1 (i64, the
/// row-major position of the element among those reduced). `finalise` is over the state entries. A
/// missing identity result for empty input (max, min, argmax, argmin) is said by
/// `defined_on_empty`.
struct BoundAggregate {
  Monoid monoid;
  std::vector<Scalar> lift;
  Scalar finalise;
  bool defined_on_empty = true;

  DType result() const { return finalise.dtype(); }
};

/// The one function that merges the one state of a monoid, where it is that simple.
std::optional<std::string> merging_function(const Monoid& monoid);

/// Whether a reduction yields the state itself: lift and finalise do nothing.
bool is_plain(const BoundAggregate& aggregate);

}  // namespace tessera::expr
