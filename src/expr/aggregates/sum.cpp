#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_sum {

namespace {

/// Keeps the dtype, like einsum; f16 and bf16 are accumulated in f32 and rounded once.
BoundAggregate bind(DType element) {
  const DType state = accumulator_of(element);
  return reduce_by("sum", id::kAdd, element, state, element, literal_of(0, state));
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"sum", "the sum; of bool: or", "sum", &bind});
}

}  // namespace tessera::expr::aggregate_sum
