#include "kernels/cpu/cost/element_seconds.h"

#include <algorithm>

#include "expr/function_ids.h"

namespace tessera::kernels {

namespace {

/// Seconds for one function of one element of `width` times 4 bytes.
double seconds_of_step(expr::FunctionCost cost, double width, const KernelRates& rates) {
  switch (cost) {
    case expr::FunctionCost::instruction:
      return width / rates.steps_per_second;
    case expr::FunctionCost::series:
      return width / rates.slow_steps_per_second;
    case expr::FunctionCost::one_by_one:
      return rates.one_by_one_seconds;
  }
  return 0;
}

/// A power has code for squares and, in f32, vectors of what takes as long as so many series;
/// measured: 1.9e-9 with AVX-512, 3.1e-9 with AVX2.
constexpr double kSeriesOfPower = 5;

double seconds_of_call(const expr::Scalar& body, const expr::Node& node, const expr::Call& call,
                       double width, const Context& context) {
  const KernelRates& rates = context.machine.rates;
  if (call.function == expr::id::kPower) {
    if (expr::is_constant(body.nodes[static_cast<size_t>(call.arguments[1])], 2)) {
      return seconds_of_step(expr::FunctionCost::instruction, width, rates);
    }
    if (compute_type(node.dtype) == DType::f32 && context.machine.isa != Isa::scalar) {
      return kSeriesOfPower * seconds_of_step(expr::FunctionCost::series, width, rates);
    }
  }
  return seconds_of_step(context.functions.find(call.function)->cost, width, rates);
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

double seconds_per_element(const expr::Scalar& body, const Context& context) {
  const KernelRates& rates = context.machine.rates;
  double seconds = 0;
  for (const expr::Node& node : body.nodes) {
    const double width = width_of(body, node);
    seconds += std::visit(
        Overload{
            [&](const expr::Call& call) {
              return seconds_of_call(body, node, call, width, context);
            },
            [&](const Among<expr::Cast, expr::IndexOf> auto&) {
              return width / rates.steps_per_second;
            },
            [](const Among<expr::Constant, expr::Access, expr::Parameter> auto&) { return 0.0; }},
        node.op);
  }
  return seconds;
}

}  // namespace tessera::kernels
