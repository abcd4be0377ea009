#include "expr/logsumexp.h"

#include <utility>

#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_logsumexp {

namespace {

/// Binds the state (largest, sum of exp(x - largest)). Source: Milakov and Gimelshein, arXiv
/// 1805.02867, 2018.
BoundAggregate bind(DType element) {
  require_order("logsumexp", element);
  const DType result = float_of(element);
  const DType state = accumulator_of(result);
  BoundAggregate bound =
      reduce_by("logsumexp", id::kMaximum, element, state, state, lowest_of(state));
  bound.monoid = logsumexp_monoid(state);
  ScalarBuilder one;
  bound.lift.push_back(one.finish(one.constant(1.0, state)));
  ScalarBuilder finalise;
  const int32_t logarithm = finalise.call(id::kLog, {finalise.parameter(1, state)}, state);
  const int32_t sum = finalise.call(id::kAdd, {finalise.parameter(0, state), logarithm}, state);
  bound.finalise = finalise.finish(finalise.cast(sum, result));
  return bound;
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"logsumexp", "log(sum(exp(x))) without overflow; -inf of nothing",
                "scipy.special.logsumexp", &bind});
}

}  // namespace tessera::expr::aggregate_logsumexp
