#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr {

namespace {

/// sum * exp(from - to), or sum itself where the two are equal (also where both are the same
/// infinity, whose difference would be NaN).
int32_t scale_sum(ScalarBuilder& builder, int32_t sum, int32_t from, int32_t to, DType state) {
  const int32_t difference = builder.call(id::kSubtract, {from, to}, state);
  const int32_t factor = builder.call(id::kExp, {difference}, state);
  const int32_t scaled = builder.call(id::kMultiply, {sum, factor}, state);
  return builder.call(id::kWhere, {builder.call(id::kEqual, {from, to}, DType::b1), sum, scaled},
                      state);
}

/// The sum of two states (largest, sum of exp(x - largest)).
Scalar combine_sums(DType state) {
  ScalarBuilder builder;
  const int32_t left = builder.parameter(0, state);
  const int32_t right = builder.parameter(2, state);
  const int32_t largest = builder.call(id::kMaximum, {left, right}, state);
  const int32_t left_sum = scale_sum(builder, builder.parameter(1, state), left, largest, state);
  const int32_t right_sum = scale_sum(builder, builder.parameter(3, state), right, largest, state);
  return builder.finish(builder.call(id::kAdd, {left_sum, right_sum}, state));
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
