#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/scalar.h"

namespace tessera::expr {

/// An associative operation on a state of one or more numbers, with its identity.
///
/// `combine` has one scalar per state entry, over Parameters 0..n-1 (the left state) and n..2n-1
/// (the right state). combine(identity, x) = x. A state of one entry that is the element itself is
/// the usual ⊕ (sum, max, ...); argmax carries (value, index). Names of a language's own aggregates
/// keep the name; a user's aggregate has its given name, and its text is its combine.
struct Monoid {
  std::string name;
  std::vector<DType> state;
  std::vector<Scalar> combine;
  std::vector<Literal> identity;
  bool is_commutative = true;  // one that is not merges only in the order of a scan
  friend bool operator==(const Monoid&, const Monoid&) = default;
};

/// An aggregate applied to elements of one dtype: it turns an element into a state, merges states
/// and reads the result from a state.
///
/// `lift` has one scalar per state entry over Parameter 0 (the element) and Parameter 1 (i64, the
/// row-major position of the element among those reduced). `finalise` is over the state entries.
/// `defined_on_empty` is false if empty input has no result (max, min, argmax, argmin).
struct BoundAggregate {
  Monoid monoid;
  std::vector<Scalar> lift;
  Scalar finalise;
  bool defined_on_empty = true;

  DType result() const { return finalise.dtype(); }
};

/// Returns the one function that merges the one state of a monoid, if it is that simple.
std::optional<std::string> merging_function(const Monoid& monoid);

/// True if a reduction yields the state itself: lift and finalise do nothing.
bool is_plain(const BoundAggregate& aggregate);

}  // namespace tessera::expr
