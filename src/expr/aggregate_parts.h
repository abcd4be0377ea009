#pragma once

#include <string>

#include "expr/aggregate.h"

/// What the files of expr/aggregates/ are written with.
namespace tessera::expr {

/// The dtype a sum, product or mean of elements of a dtype is carried in: f32 for f16 and bf16,
/// else itself.
DType accumulator_of(DType element);

/// A number as a literal of the dtype's family: bool, integer or float.
Literal literal_of(int64_t value, DType dtype);

/// The lowest and the highest value of an ordered dtype: false and true, the ends of an integer,
/// the infinities.
Literal lowest_of(DType dtype);
Literal highest_of(DType dtype);

/// A state of one number that is the element cast to `state`, merged by a function of two
/// arguments; the result is the state cast to `result`.
BoundAggregate reduce_by(const std::string& name, const std::string& function, DType element,
                         DType state, DType result, Literal identity);

/// argmax (`better` = "greater") and argmin ("less"): state (value, position), the result is the
/// position. The first of equal values wins; NaN beats every number, as numpy has it.
BoundAggregate best_position(const std::string& name, const std::string& better, DType element,
                             Literal worst);

/// Throws a user Error where the dtype has no order.
void require_order(const std::string& aggregate, DType element);

}  // namespace tessera::expr
