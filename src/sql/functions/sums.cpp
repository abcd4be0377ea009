#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_sums {

namespace {

/// The sums along one mode of a matrix.
Term sums_along(TensorCall& call, size_t mode) {
  require_modes(call, 0, 2);
  const Term matrix = summable(call.arguments[0]);
  const Label summed = call.labels.of(matrix.type.shape[mode]);
  return {{matrix.type.dtype, {matrix.type.shape[1 - mode]}},
          false,
          [=](const Expressions& indices) -> Product {
            const Expressions all =
                mode == 0 ? Expressions{summed, indices[0]} : Expressions{indices[0], summed};
            return {{summed}, {matrix.at(all)}};
          }};
}

Term along_columns(TensorCall& call) {
  return sums_along(call, 1);
}
Term along_rows(TensorCall& call) {
  return sums_along(call, 0);
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"rowsums", "m", "the sum of every row of a matrix", 1, along_columns});
  registry.add({"colsums", "m", "the sum of every column of a matrix", 1, along_rows});
  // What the rows are reduced to is one row, as the biases of a layer are (Recursive SQL §4.2).
  registry.add_alias("colsums", "reducebyrow");
  registry.add_alias("rowsums", "reducebycol");
}

}  // namespace tessera::sql::tensor_function_sums
