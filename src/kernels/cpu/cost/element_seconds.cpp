#include "kernels/cpu/cost/element_seconds.h"

#include <algorithm>
#include <vector>

#include "expr/function_ids.h"
#include "kernels/block_function.h"

namespace tessera::kernels {

namespace {

/// Returns the seconds of one function of one element of `width` times 4 bytes.
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

/// The cost of a general power of f32, in series. A power by a constant is one of products, or
/// takes about as long as a series (0.26e-9 of f32 and 0.9e-9 of f64 with AVX-512). Measured for
/// others: 1.9e-9 with AVX-512, 3.1e-9 with AVX2.
constexpr double kSeriesOfPower = 5;

double seconds_of_call(const expr::Scalar& body, const expr::Node& node, const expr::Call& call,
                       double width, const Context& context) {
  const KernelRates& rates = context.machine.rates;
  if (call.function == expr::id::kPower) {
    const expr::Node& exponent = body.nodes[static_cast<size_t>(call.arguments[1])];
    if (expr::is_constant(exponent, 2) || expr::is_constant(exponent, 3)) {
      return seconds_of_step(expr::FunctionCost::instruction, width, rates);
    }
    const auto* const constant = std::get_if<expr::Constant>(&exponent.op);
    if (constant != nullptr && find_half_power(compute_type(node.dtype), constant->value,
                                               context.machine.isa) != nullptr) {
      return seconds_of_step(expr::FunctionCost::series, width, rates);
    }
    if (compute_type(node.dtype) == DType::f32 && context.machine.isa != Isa::scalar) {
      return kSeriesOfPower * seconds_of_step(expr::FunctionCost::series, width, rates);
    }
  }
  return seconds_of_step(context.functions.find(call.function)->cost, width, rates);
}

/// Returns the width of an argument of a node, in units of 4 bytes.
double width_of(const expr::Scalar& body, int32_t argument) {
  const DType dtype = body.nodes[static_cast<size_t>(argument)].dtype;
  return static_cast<double>(size_of(compute_type(dtype))) / 4;
}

/// Returns the widest of a node's result and arguments, which decides how many elements a vector
/// has.
double widest_of(const expr::Scalar& body, const expr::Node& node) {
  double width = static_cast<double>(size_of(compute_type(node.dtype))) / 4;
  expr::for_each_argument(
      node, [&](int32_t argument) { width = std::max(width, width_of(body, argument)); });
  return width;
}

double seconds_of_node(const expr::Scalar& body, const expr::Node& node, const Context& context) {
  const double width = widest_of(body, node);
  return std::visit(
      Overload{
          [&](const expr::Call& call) { return seconds_of_call(body, node, call, width, context); },
          [&](const Among<expr::Cast, expr::IndexOf> auto&) {
            return width / context.machine.rates.steps_per_second;
          },
          [](const Among<expr::Constant, expr::Access, expr::Parameter> auto&) { return 0.0; }},
      node.op);
}

/// Returns, by node, true if it has one value in a whole block.
std::vector<bool> uniform_nodes(const expr::Scalar& body, const IsUniform& is_uniform) {
  std::vector<bool> uniform;
  for (const expr::Node& node : body.nodes) {
    bool are_arguments = true;
    expr::for_each_argument(node, [&](int32_t argument) {
      are_arguments = are_arguments && uniform[static_cast<size_t>(argument)];
    });
    uniform.push_back(std::visit(
        Overload{
            [&](const Among<expr::Access, expr::IndexOf> auto& read) { return is_uniform(read); },
            [](const expr::Parameter&) { return false; },
            [&](const Among<expr::Constant, expr::Call, expr::Cast> auto&) {
              return are_arguments;
            }},
        node.op));
  }
  return uniform;
}

double narrowest_argument(const expr::Scalar& body) {
  const expr::Node& last = body.nodes.back();
  double narrowest = widest_of(body, last);
  expr::for_each_argument(
      last, [&](int32_t argument) { narrowest = std::min(narrowest, width_of(body, argument)); });
  return narrowest;
}

}  // namespace

double seconds_per_element(const expr::Scalar& body, const Context& context) {
  return seconds_per_element(body, context, [](const auto&) { return false; });
}

double seconds_per_element(const expr::Scalar& body, const Context& context,
                           const IsUniform& is_uniform) {
  const std::vector<bool> uniform = uniform_nodes(body, is_uniform);
  double seconds = 0;
  for (size_t number = 0; number < body.nodes.size(); ++number) {
    seconds += uniform[number] ? 0 : seconds_of_node(body, body.nodes[number], context);
  }
  return seconds;
}

double merged_seconds_per_element(const expr::Scalar& body, const Context& context,
                                  const IsUniform& is_uniform) {
  const bool is_counted = !uniform_nodes(body, is_uniform).back();
  return seconds_per_element(body, context, is_uniform) -
         (is_counted ? seconds_of_node(body, body.nodes.back(), context) : 0) +
         narrowest_argument(body) / context.machine.rates.steps_per_second;
}

double merged_seconds_per_element(const expr::Scalar& body, const Context& context, int functions) {
  return functions * narrowest_argument(body) / context.machine.rates.steps_per_second;
}

bool has_instructions_only(const expr::Scalar& body, const Context& context) {
  return std::all_of(body.nodes.begin(), body.nodes.end(), [&](const expr::Node& node) {
    const auto* const call = std::get_if<expr::Call>(&node.op);
    return call == nullptr ||
           context.functions.find(call->function)->cost == expr::FunctionCost::instruction;
  });
}

}  // namespace tessera::kernels
