#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_any {

namespace {

BoundAggregate bind(DType element) {
  const DType state = DType::b1;
  return reduce_by("any", id::kLogicalOr, element, state, DType::b1, false);
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"any", "true if any element is nonzero", "any", &bind, true});
}

}  // namespace tessera::expr::aggregate_any
