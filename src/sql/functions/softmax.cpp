#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql {

namespace {

/// Over the last mode: of a matrix every row is a distribution.
Term apply(TensorCall& call) {
  const Term tensor = call.arguments[0];
  TESSERA_USER_CHECK(!tensor.type.shape.empty(), "{} takes a vector or a matrix, not a scalar",
                     call.name);
  const DType dtype = is_float(tensor.type.dtype) ? tensor.type.dtype : DType::f64;
  return plain_term({dtype, tensor.type.shape}, [=](const Labels& labels) {
    return fmt::format("softmax[{}]({})", labels.back(), text_of(tensor, labels));
  });
}

}  // namespace

void register_tensor_function_softmax(TensorFunctionRegistry& registry) {
  registry.add({"softmax", "x", "exp(x) over its sum along the last mode", 1, apply});
}

}  // namespace tessera::sql
