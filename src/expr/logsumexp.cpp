#include "expr/logsumexp.h"

#include <utility>

#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr {

namespace {

/// Merges the sums of two states (largest, sum of exp(x - largest)): that of the larger one, and
/// the other one scaled by exp(smaller - larger). If the two are equal the scale is 1, even if both
/// are the same infinity, whose difference would be NaN.
Scalar combine_sums(DType state) {
  ScalarBuilder builder;
  const int32_t left = builder.parameter(0, state);
  const int32_t left_sum = builder.parameter(1, state);
  const int32_t right = builder.parameter(2, state);
  const int32_t right_sum = builder.parameter(3, state);
  const auto call = [&](const char* function, std::vector<int32_t> arguments) {
    return builder.call(function, std::move(arguments), state);
  };
  const int32_t difference =
      call(id::kSubtract, {call(id::kMinimum, {left, right}), call(id::kMaximum, {left, right})});
  const int32_t is_equal = builder.call(id::kEqual, {left, right}, DType::b1);
  const int32_t factor =
      call(id::kWhere, {is_equal, builder.constant(1.0, state), call(id::kExp, {difference})});
  const int32_t left_is_larger = builder.call(id::kGreater, {left, right}, DType::b1);
  const int32_t of_larger = call(id::kWhere, {left_is_larger, left_sum, right_sum});
  const int32_t of_smaller = call(id::kWhere, {left_is_larger, right_sum, left_sum});
  return builder.finish(call(id::kAdd, {of_larger, call(id::kMultiply, {of_smaller, factor})}));
}

}  // namespace

Monoid logsumexp_monoid(DType state) {
  ScalarBuilder largest;
  const int32_t larger =
      largest.call(id::kMaximum, {largest.parameter(0, state), largest.parameter(2, state)}, state);
  return {"logsumexp",
          {state, state},
          {largest.finish(larger), combine_sums(state)},
          {lowest_of(state), 0.0}};
}

bool is_logsumexp(const Monoid& monoid) {
  const bool may_be =
      monoid.state.size() == 2 && monoid.state[0] == monoid.state[1] && is_float(monoid.state[0]);
  if (!may_be) {
    return false;
  }
  Monoid known = logsumexp_monoid(monoid.state[0]);
  known.name = monoid.name;
  return known == monoid;
}

}  // namespace tessera::expr
