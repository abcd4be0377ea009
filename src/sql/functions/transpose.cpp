#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_transpose {

namespace {

Term apply(TensorCall& call) {
  require_modes(call, 0, 2);
  const Term matrix = call.arguments[0];
  const Shape& shape = matrix.type.shape;
  return {
      {matrix.type.dtype, {shape[1], shape[0]}}, matrix.is_weak, [=](const Expressions& indices) {
        return matrix.says({indices[1], indices[0]});
      }};
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"transpose", "m", "a matrix with rows and columns exchanged", 1, apply});
  registry.add_alias("transpose", "t");
}

}  // namespace tessera::sql::tensor_function_transpose
