#include <fmt/format.h>

#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_positions {

namespace {

/// Along the last mode, counted from 1 as subscripts are.
Term position_of(TensorCall& call, const std::string& aggregate) {
  const Term tensor = call.arguments[0];
  Shape shape = tensor.type.shape;
  if (shape.empty()) {
    require_modes(call, 0, 1);
  }
  const Label label = call.labels.of(shape.back());
  shape.pop_back();
  return plain_term({DType::i64, shape}, [=](const Expressions& indices) {
    const program::Expression place =
        program::apply(aggregate, {label}, {tensor.at(joined(indices, {label}))});
    return program::number(int64_t{1}) + place;
  });
}

Term largest(TensorCall& call) {
  return position_of(call, "argmax");
}
Term smallest(TensorCall& call) {
  return position_of(call, "argmin");
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"largest_at", "x",
                "the first position of the largest element along the last mode, from 1", 1,
                largest});
  registry.add({"smallest_at", "x",
                "the first position of the smallest element along the last mode, from 1", 1,
                smallest});
}

}  // namespace tessera::sql::tensor_function_positions
