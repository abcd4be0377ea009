#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_mean {

namespace {

/// Binds the state (sum, count). Integers and bool are summed in f64, f16 and bf16 in f32; the mean
/// of nothing is NaN.
BoundAggregate bind(DType element) {
  const bool is_floating = is_float(element) || is_complex(element);
  const DType state = is_floating ? accumulator_of(element) : DType::f64;
  BoundAggregate bound = reduce_by("mean", id::kAdd, element, state, state, 0.0);
  ScalarBuilder one;
  bound.lift.push_back(one.finish(one.constant(int64_t{1}, DType::i64)));
  bound.monoid.state.push_back(DType::i64);
  bound.monoid.identity.push_back(int64_t{0});
  bound.monoid.combine.clear();
  for (const int32_t entry : {0, 1}) {
    ScalarBuilder combine;
    const DType dtype = bound.monoid.state[static_cast<size_t>(entry)];
    const int32_t left = combine.parameter(entry, dtype);
    const int32_t right = combine.parameter(2 + entry, dtype);
    bound.monoid.combine.push_back(combine.finish(combine.call(id::kAdd, {left, right}, dtype)));
  }
  ScalarBuilder finalise;
  const int32_t sum = finalise.parameter(0, state);
  const int32_t count = finalise.cast(finalise.parameter(1, DType::i64), state);
  const int32_t mean = finalise.call(id::kDivide, {sum, count}, state);
  bound.finalise = finalise.finish(finalise.cast(mean, is_floating ? element : DType::f64));
  return bound;
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"mean", "the sum over the count, as a float", "mean", &bind});
}

}  // namespace tessera::expr::aggregate_mean
