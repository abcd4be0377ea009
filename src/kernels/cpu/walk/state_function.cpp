#include "kernels/cpu/walk/state_function.h"

namespace tessera::kernels {

std::optional<std::string> merging_function_of(const expr::Monoid& monoid, size_t state) {
  const expr::Scalar& combine = monoid.combine[state];
  const auto* call = std::get_if<expr::Call>(&combine.nodes.back().op);
  if (call == nullptr || call->arguments.size() != 2 || combine.nodes.size() != 3) {
    return std::nullopt;
  }
  const auto is_parameter = [&](size_t argument, size_t position) {
    const auto node = static_cast<size_t>(call->arguments[argument]);
    const auto* parameter = std::get_if<expr::Parameter>(&combine.nodes[node].op);
    return parameter != nullptr && parameter->position == static_cast<int32_t>(position);
  };
  const bool is_plain = is_parameter(0, state) && is_parameter(1, monoid.state.size() + state);
  return is_plain && combine.dtype() == monoid.state[state] ? std::optional(call->function)
                                                            : std::nullopt;
}

}  // namespace tessera::kernels
