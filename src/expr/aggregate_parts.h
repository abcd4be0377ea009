#pragma once

#include <string>

#include "expr/aggregate.h"

/// The vocabulary of the files of expr/aggregates/.
namespace tessera::expr {

/// Returns the dtype in which a sum, product or mean of elements is accumulated: f32 for f16 and
/// bf16, else itself.
DType accumulator_of(DType element);

/// Returns a number as a literal of the dtype's family: bool, integer or float.
Literal literal_of(int64_t value, DType dtype);

/// Return the lowest and the highest value of an ordered dtype: false and true, the ends of an
/// integer, the infinities.
Literal lowest_of(DType dtype);
Literal highest_of(DType dtype);

/// Returns an aggregate whose state is one number, the element cast to `state`, merged by a
/// function of two arguments; the result is the state cast to `result`.
BoundAggregate reduce_by(const std::string& name, const std::string& function, DType element,
                         DType state, DType result, Literal identity);

/// Returns argmax (`better` = "greater") or argmin ("less"): state (value, position), the result is
/// the position. The first of equal values wins; NaN beats every number, like in numpy.
BoundAggregate best_position(const std::string& name, const std::string& better, DType element,
                             Literal worst);

/// Throws a user Error for a dtype without an order.
void require_order(const std::string& aggregate, DType element);

}  // namespace tessera::expr
