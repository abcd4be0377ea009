#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_outer {

namespace {

Term apply(TensorCall& call) {
  require_modes(call, 0, 1);
  require_modes(call, 1, 1);
  const Term one = summable(call.arguments[0]);
  const Term other = summable(call.arguments[1]);
  return plain_term({common_dtype({one, other}), {one.type.shape[0], other.type.shape[0]}},
                    [=](const Expressions& indices) {
                      return one.at(Expressions{indices[0]}) * other.at(Expressions{indices[1]});
                    });
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add(
      {"outer", "u, v", "the matrix of all products of an element of u and one of v", 2, apply});
  registry.add_alias("outer", "outer_product");
}

}  // namespace tessera::sql::tensor_function_outer
