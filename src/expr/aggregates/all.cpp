#include "expr/aggregate_parts.h"
#include "expr/function_ids.h"

namespace tessera::expr::aggregate_all {

namespace {

BoundAggregate bind(DType element) {
  const DType state = DType::b1;
  return reduce_by("all", id::kLogicalAnd, element, state, DType::b1, true);
}

}  // namespace

void register_aggregate(AggregateRegistry& registry) {
  registry.add({"all", "true if all elements are nonzero", "all", &bind, true});
}

}  // namespace tessera::expr::aggregate_all
