#include <algorithm>

#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_diag {

namespace {

Term diagonal_of(const Term& matrix) {
  const Shape& shape = matrix.type.shape;
  TESSERA_USER_CHECK(shape[0] == shape[1], "diag takes a square matrix, not {}", shape_text(shape));
  return plain_term({matrix.type.dtype, {shape[0]}}, [=](const Expressions& indices) {
    return matrix.at(Expressions{indices[0], indices[0]});
  });
}

Term matrix_of(const Term& vector) {
  const int64_t extent = vector.type.shape[0];
  return plain_term({vector.type.dtype, {extent, extent}}, [=](const Expressions& indices) {
    return program::call("where",
                         {program::call("equal", {indices[0], indices[1]}),
                          vector.at(Expressions{indices[0]}), program::number(int64_t{0})});
  });
}

Term apply(TensorCall& call) {
  if (call.arguments[0].type.shape.size() == 1) {
    return matrix_of(call.arguments[0]);
  }
  require_modes(call, 0, 2);
  return diagonal_of(call.arguments[0]);
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"diag", "x",
                "the diagonal of a square matrix; of a vector the matrix with that diagonal", 1,
                apply});
}

}  // namespace tessera::sql::tensor_function_diag
