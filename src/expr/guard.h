#pragma once

#include <optional>
#include <vector>

#include "expr/scalar.h"

/// Elements that an aggregate merges only if a condition holds.
namespace tessera::expr {

/// The condition and the element of a guarded body, only(condition, element).
struct Guard {
  int32_t condition = 0;
  int32_t element = 0;
};

/// Returns the guard at the root of a body, if there is one.
std::optional<Guard> guard_of(const Scalar& body);

/// True if a call of only() stands anywhere but at the root.
bool has_inner_guard(const Scalar& body);

/// A label of the result whose position a value determines: in_group(value, index(label), n), or
/// value == index(label).
struct Grouping {
  LabelNumber label = 0;
  int32_t value = 0;
  std::optional<int64_t> num_groups = {};  // if a value outside of them is a fault
};

/// Returns the terms of a condition, joined by `and`.
std::vector<int32_t> conjunction_of(const Scalar& scalar, int32_t condition);

/// Reads a term as a grouping by one of these labels; nothing if it is none. The value does not
/// depend on the label.
std::optional<Grouping> grouping_of(const Scalar& scalar, int32_t term,
                                    const std::vector<LabelNumber>& labels);

/// Returns the labels among these by which a guarded body groups: an element is looked at once, not
/// for each of their positions.
std::vector<LabelNumber> group_labels(const Scalar& body, const std::vector<LabelNumber>& labels);

}  // namespace tessera::expr
