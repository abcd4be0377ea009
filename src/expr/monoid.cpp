#include "expr/monoid.h"

namespace tessera::expr {

namespace {

bool is_parameter_zero(const Scalar& scalar, DType dtype) {
  if (scalar.nodes.size() != 1 || scalar.dtype() != dtype) {
    return false;
  }
  const auto* parameter = std::get_if<Parameter>(&scalar.nodes[0].op);
  return parameter != nullptr && parameter->position == 0;
}

}  // namespace

bool is_plain(const BoundAggregate& aggregate) {
  return aggregate.monoid.state.size() == 1 &&
         is_parameter_zero(aggregate.lift[0], aggregate.monoid.state[0]) &&
         is_parameter_zero(aggregate.finalise, aggregate.monoid.state[0]);
}

std::optional<std::string> merging_function(const Monoid& monoid) {
  if (monoid.state.size() != 1 || monoid.combine[0].nodes.size() != 3) {
    return std::nullopt;
  }
  const auto* call = std::get_if<Call>(&monoid.combine[0].nodes.back().op);
  return call == nullptr ? std::nullopt : std::optional(call->function);
}

}  // namespace tessera::expr
