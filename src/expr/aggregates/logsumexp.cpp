#include <utility>

#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr {

namespace {

/// The sum of two states (largest, sum of exp(x - largest)): that of the larger one, and the other
/// one scaled by exp(smaller - larger). Where the two are equal it is scaled by 1, also where both
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

/// State (largest, sum of exp(x - largest)). Source: Milakov and Gimelshein, arXiv 1805.02867,
/// 2018.
BoundAggregate bind(DType element) {
  require_order("logsumexp", element);
  const DType result = float_of(element);
  const DType state = accumulator_of(result);
  BoundAggregate bound =
      reduce_by("logsumexp", id::kMaximum, element, state, state, lowest_of(state));
  ScalarBuilder largest;
  const int32_t larger =
      largest.call(id::kMaximum, {largest.parameter(0, state), largest.parameter(2, state)}, state);
  bound.monoid = {"logsumexp",
                  {state, state},
                  {largest.finish(larger), combine_sums(state)},
                  {lowest_of(state), 0.0}};
  ScalarBuilder one;
  bound.lift.push_back(one.finish(one.constant(1.0, state)));
  ScalarBuilder finalise;
  const int32_t logarithm = finalise.call(id::kLog, {finalise.parameter(1, state)}, state);
  const int32_t sum = finalise.call(id::kAdd, {finalise.parameter(0, state), logarithm}, state);
  bound.finalise = finalise.finish(finalise.cast(sum, result));
  return bound;
}

}  // namespace

void register_aggregate_logsumexp(AggregateRegistry& registry) {
  registry.add({"logsumexp", "log(sum(exp(x))) without overflow; -inf of nothing",
                "scipy.special.logsumexp", &bind});
}

}  // namespace tessera::expr
