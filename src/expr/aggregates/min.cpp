#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_min {

namespace {

BoundAggregate bind(DType element) {
  require_order("min", element);
  BoundAggregate bound =
      reduce_by("min", id::kMinimum, element, element, element, highest_of(element));
  bound.defined_on_empty = false;
  return bound;
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"min", "the smallest element; NaN if there is one", "min", &bind, true});
}

}  // namespace tessera::expr::aggregate_min
