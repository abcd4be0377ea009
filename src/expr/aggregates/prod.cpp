#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_prod {

namespace {

/// Keeps the dtype, like einsum; f16 and bf16 are accumulated in f32 and rounded once.
BoundAggregate bind(DType element) {
  const DType state = accumulator_of(element);
  return reduce_by("prod", id::kMultiply, element, state, element, literal_of(1, state));
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"prod", "the product; of bool: and", "prod", &bind});
}

}  // namespace tessera::expr::aggregate_prod
