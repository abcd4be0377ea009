#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_argmax {

namespace {

BoundAggregate bind(DType element) {
  require_order("argmax", element);
  return best_position("argmax", id::kGreater, element, lowest_of(element));
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"argmax", "the position of the first largest element, or of the first NaN",
                "argmax", &bind, true, Extremum::largest});
}

}  // namespace tessera::expr::aggregate_argmax
