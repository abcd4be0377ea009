#include <fmt/format.h>

#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_cardinality {

namespace {

Term apply(TensorCall& call) {
  const Shape& shape = call.arguments[0].type.shape;
  TESSERA_USER_CHECK(!shape.empty(), "{} takes a tensor, not a number", call.name);
  return plain_term({DType::i64, {}}, [count = num_elements(shape)](const Expressions&) {
    return program::converted(DType::i64, program::number(count));
  });
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"cardinality", "x", "the number of elements", 1, apply});
}

}  // namespace tessera::sql::tensor_function_cardinality
