#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_argmin {

namespace {

BoundAggregate bind(DType element) {
  require_order("argmin", element);
  return best_position("argmin", id::kLess, element, highest_of(element));
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"argmin", "the position of the first smallest element, or of the first NaN",
                "argmin", &bind, true, Extremum::smallest});
}

}  // namespace tessera::expr::aggregate_argmin
