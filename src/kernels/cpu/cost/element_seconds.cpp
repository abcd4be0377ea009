#include "kernels/cpu/cost/element_seconds.h"

#include <algorithm>
#include <iterator>

namespace tessera::kernels {

namespace {

/// Seconds for one function of one element of `width` times 4 bytes.
double seconds_of_step(const std::string& function, double width, const KernelRates& rates) {
  static constexpr const char* kFast[] = {
      "add",    "subtract",    "multiply",   "negative",    "abs",     "maximum",       "minimum",
      "equal",  "not_equal",   "less",       "less_equal",  "greater", "greater_equal", "where",
      "square", "logical_and", "logical_or", "logical_not", "relu",    "isnan"};
  static constexpr const char* kOneByOne[] = {"power", "remainder", "fmod", "floor_divide",
                                              "hypot"};
  const auto is_in = [&](const auto& some) {
    return std::any_of(std::begin(some), std::end(some),
                       [&](const char* name) { return function == name; });
  };
  return is_in(kOneByOne) ? rates.one_by_one_seconds
         : is_in(kFast)   ? width / rates.steps_per_second
                          : width / rates.slow_steps_per_second;
}

/// The widest of a node's result and arguments decides how many elements a vector has.
double width_of(const expr::Scalar& body, const expr::Node& node) {
  int64_t bytes = size_of(compute_type(node.dtype));
  if (const auto* call = std::get_if<expr::Call>(&node.op)) {
    for (const int32_t argument : call->arguments) {
      bytes =
          std::max(bytes, size_of(compute_type(body.nodes[static_cast<size_t>(argument)].dtype)));
    }
  }
  return static_cast<double>(bytes) / 4;
}

}  // namespace

double seconds_per_element(const expr::Scalar& body, const KernelRates& rates) {
  double seconds = 0;
  for (const expr::Node& node : body.nodes) {
    const double width = width_of(body, node);
    if (const auto* call = std::get_if<expr::Call>(&node.op)) {
      seconds += seconds_of_step(call->function, width, rates);
    } else if (std::holds_alternative<expr::Cast>(node.op) ||
               std::holds_alternative<expr::IndexOf>(node.op)) {
      seconds += width / rates.steps_per_second;
    }
  }
  return seconds;
}

}  // namespace tessera::kernels
