#include <fmt/ranges.h>

#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_norm {

namespace {

Term apply(TensorCall& call) {
  const Term tensor = in_floats(call.arguments[0]);
  const Labels labels = call.labels.of(tensor.type.shape);
  const DType dtype = real_of(tensor.type.dtype);
  return plain_term({dtype, {}}, [=](const Expressions&) {
    return labels.empty() ? program::call("abs", {tensor.at(labels)})
                          : program::apply("norm", labels, {tensor.at(labels)});
  });
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"norm", "x", "the root of the sum of the squares of all elements", 1, apply});
}

}  // namespace tessera::sql::tensor_function_norm
