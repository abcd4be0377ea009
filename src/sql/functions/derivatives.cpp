#include <fmt/format.h>

#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_derivatives {

namespace {

/// 1 where x > 0, else 0.
Term relu_derivative(TensorCall& call) {
  const Term tensor = call.arguments[0];
  return plain_term(tensor.type, [=](const Expressions& indices) {
    return program::converted(
        tensor.type.dtype,
        program::call("greater", {tensor.at(indices), program::number(int64_t{0})}));
  });
}

/// Of softmax and cross entropy together, with respect to what softmax is given (Recursive SQL
/// §4.2).
Term cross_entropy_derivative(TensorCall& call) {
  return elementwise("subtract", call.arguments, call.functions, call.name);
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add(
      {"reluderiv", "x", "the derivative of relu: 1 where x > 0, else 0", 1, relu_derivative});
  registry.add({"crossentropyderiv", "p, y",
                "the derivative of the cross entropy of y and p = softmax(x) by x: p - y", 2,
                cross_entropy_derivative});
}

}  // namespace tessera::sql::tensor_function_derivatives
