#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_cholesky {

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "cholesky";
  function.arity = 1;
  function.summary = "the lower triangular L whose product with its conjugate transpose is a";
  function.group = FunctionGroup::matrices;
  function.numpy = "linalg.cholesky";
  function.arguments = "a";
  function.example = "L[n,i,j] = cholesky[i,j](A[n,i,j])";
  function.fault = "a matrix that is not positive definite";
  function.bind = [](const std::vector<DType>& arguments) {
    check_arity("cholesky", 1, arguments.size());
    return bind_matrices("cholesky", arguments);
  };
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{2, {{0, 1}}, {0, 1}, true};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_cholesky
