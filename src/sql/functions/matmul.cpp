#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_matmul {

namespace {

/// A matrix or a vector on either side; the last mode of the first and the first of the second are
/// summed.
Term apply(TensorCall& call) {
  const Term one = summable(call.arguments[0]);
  const Term other = summable(call.arguments[1]);
  const Shape& left = one.type.shape;
  const Shape& right = other.type.shape;
  TESSERA_USER_CHECK(!left.empty() && !right.empty() && left.size() <= 2 && right.size() <= 2,
                     "{} multiplies matrices and vectors, not {} and {}", call.name,
                     shape_text(left), shape_text(right));
  TESSERA_USER_CHECK(left.back() == right.front(),
                     "{} of {} and {}: the first has {} columns, the second {} rows", call.name,
                     shape_text(left), shape_text(right), left.back(), right.front());
  Shape shape(left.begin(), left.end() - 1);
  shape.insert(shape.end(), right.begin() + 1, right.end());
  const size_t num_left = left.size() - 1;
  const Label summed = call.labels.of(left.back());
  return {{common_dtype({one, other}), shape}, false, [=](const Expressions& indices) -> Product {
            const auto middle = indices.begin() + static_cast<std::ptrdiff_t>(num_left);
            Expressions of_one(indices.begin(), middle);
            of_one.emplace_back(summed);
            Expressions of_other{summed};
            of_other.insert(of_other.end(), middle, indices.end());
            const Product first = one.says(of_one);
            const Product second = other.says(of_other);
            return {joined(joined(first.bound, second.bound), Labels{summed}),
                    joined(first.factors, second.factors)};
          }};
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add(
      {"matmul", "a, b", "the product of two matrices, or of a matrix and a vector", 2, apply});
  registry.add_alias("matmul", "matrix_multiply");
}

}  // namespace tessera::sql::tensor_function_matmul
