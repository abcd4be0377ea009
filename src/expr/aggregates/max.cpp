#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_max {

namespace {

BoundAggregate bind(DType element) {
  require_order("max", element);
  BoundAggregate bound =
      reduce_by("max", id::kMaximum, element, element, element, lowest_of(element));
  bound.defined_on_empty = false;
  return bound;
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"max", "the largest element; NaN if there is one", "max", &bind, true});
}

}  // namespace tessera::expr::aggregate_max
