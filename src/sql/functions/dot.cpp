#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_dot {

namespace {

Term apply(TensorCall& call) {
  require_modes(call, 0, 1);
  require_modes(call, 1, 1);
  const Term one = summable(call.arguments[0]);
  const Term other = summable(call.arguments[1]);
  TESSERA_USER_CHECK(one.type.shape == other.type.shape, "{} of {} and {}: their extents differ",
                     call.name, shape_text(one.type.shape), shape_text(other.type.shape));
  const Label summed = call.labels.of(one.type.shape[0]);
  return {{common_dtype({one, other}), {}}, false, [=](const Expressions&) -> Product {
            const Labels labels{summed};
            return {labels, {one.at(labels), other.at(labels)}};
          }};
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"dot", "u, v", "the sum of the products of their elements", 2, apply});
  registry.add_alias("dot", "inner_product");
}

}  // namespace tessera::sql::tensor_function_dot
