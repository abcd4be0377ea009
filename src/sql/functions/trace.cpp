#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_trace {

namespace {

Term apply(TensorCall& call) {
  require_modes(call, 0, 2);
  const Term matrix = summable(call.arguments[0]);
  TESSERA_USER_CHECK(matrix.type.shape[0] == matrix.type.shape[1],
                     "{} takes a square matrix, not {}", call.name, shape_text(matrix.type.shape));
  const Label summed = call.labels.of(matrix.type.shape[0]);
  return {{matrix.type.dtype, {}}, false, [=](const Expressions&) -> Product {
            return {{summed}, {matrix.at(Labels{summed, summed})}};
          }};
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"trace", "m", "the sum of the diagonal of a square matrix", 1, apply});
}

}  // namespace tessera::sql::tensor_function_trace
