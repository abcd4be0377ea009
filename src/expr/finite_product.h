#pragma once

#include "expr/monoid.h"

/// Products of real numbers that are never NaN because of the order in which they are merged.
///
/// A partial product may overflow to an infinity although the whole product is 0: 0 times the
/// infinity is NaN then. The state (product, true if every element is finite) tells such a NaN from
/// one that an element causes.
namespace tessera::expr {

/// Returns the monoid of such states of f32 or f64. The name is that of the plain product with a
/// suffix.
Monoid finite_product_monoid(const std::string& name, DType product);

/// True if a monoid merges such states, whatever its name is.
bool is_finite_product(const Monoid& monoid);

/// True if a plain product of f32 or f64 carries the state of an aggregate.
bool is_product_of_reals(const BoundAggregate& aggregate);

/// Returns the same aggregate with such a state: a NaN of finite elements is read as 0. REQUIRES
/// is_product_of_reals().
BoundAggregate with_finiteness(const BoundAggregate& product);

/// Returns the number that a state stands for, over its two entries as parameters: 0 for a NaN of
/// finite elements.
Scalar value_of_finite_product(DType product);

/// True if `flag` says whether `element` is finite: isfinite(x) of x, and where(c, isfinite(x),
/// true) of where(c, x, y) with a finite number y.
bool is_finiteness_of(const Scalar& flag, const Scalar& element);

}  // namespace tessera::expr
