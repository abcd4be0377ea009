#include <fmt/format.h>

#include "base/error.h"
#include "sql/tensor_function.h"

/// Functions of square matrices: over the last two modes, of which there may be others before.
namespace tessera::sql::tensor_function_linear_algebra {

namespace {

/// The extents of a square matrix behind other modes.
int64_t size_of_square(const TensorCall& call) {
  const Shape& shape = call.arguments[0].type.shape;
  TESSERA_USER_CHECK(shape.size() >= 2 && shape.back() == shape[shape.size() - 2],
                     "{} takes a square matrix, not {}", call.name, shape_text(shape));
  return shape.back();
}

DType dtype_of(const TensorCall& call, const std::string& function) {
  std::vector<DType> dtypes;
  for (const Term& argument : call.arguments) {
    dtypes.push_back(argument.type.dtype);
  }
  return call.functions.find(function)->bind(dtypes).result;
}

/// A matrix of a matrix.
Term of_matrix(TensorCall& call, const std::string& function) {
  const Term matrix = call.arguments[0];
  const int64_t size = size_of_square(call);
  const Labels spares = call.labels.of(Shape{size, size});
  return plain_term({dtype_of(call, function), matrix.type.shape}, [=](const Expressions& indices) {
    const size_t last = indices.size() - 1;
    return at_distinct(indices, {last, last - 1}, spares, [&](const Labels& own) {
      return program::apply(function, {own[own.size() - 2], own.back()}, {matrix.at(own)});
    });
  });
}

Term inverse(TensorCall& call) {
  return of_matrix(call, "inverse");
}
Term cholesky(TensorCall& call) {
  return of_matrix(call, "cholesky");
}

Term det(TensorCall& call) {
  const Term matrix = call.arguments[0];
  const int64_t size = size_of_square(call);
  const Labels square = call.labels.of(Shape{size, size});
  Shape shape = matrix.type.shape;
  shape.resize(shape.size() - 2);
  return plain_term({dtype_of(call, "det"), shape}, [=](const Expressions& indices) {
    return program::apply("det", square, {matrix.at(joined(indices, indices_of(square)))});
  });
}

/// The right side is a vector, or a matrix whose columns are solved for: its first mode is that of
/// the equations.
Term solve(TensorCall& call) {
  const Term matrix = call.arguments[0];
  const Term right = call.arguments[1];
  const int64_t size = size_of_square(call);
  require_modes(call, 0, 2);
  const Shape& shape = right.type.shape;
  TESSERA_USER_CHECK((shape.size() == 1 || shape.size() == 2) && shape.front() == size,
                     "{} of {} and {}: the right side has not as many rows as the matrix",
                     call.name, shape_text(matrix.type.shape), shape_text(shape));
  const Label equation = call.labels.of(size);
  const Label spare = call.labels.of(size);
  return plain_term({dtype_of(call, "solve"), shape}, [=](const Expressions& indices) {
    return at_distinct(indices, {0}, {spare}, [&](const Labels& own) {
      Labels of_right = own;
      of_right.front() = equation;
      const Labels of_matrix{equation, own.front()};
      return program::apply("solve", of_matrix, {matrix.at(of_matrix), right.at(of_right)});
    });
  });
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"inverse", "m", "the inverse of a square matrix", 1, inverse});
  registry.add_alias("inverse", "matrix_inverse");
  registry.add({"cholesky", "m", "the lower triangular Cholesky factor of a matrix", 1, cholesky});
  registry.add({"det", "m", "the determinant of a square matrix", 1, det});
  registry.add({"solve", "a, b", "x such that matmul(a, x) is b", 2, solve});
}

}  // namespace tessera::sql::tensor_function_linear_algebra
