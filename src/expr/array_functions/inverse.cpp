#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_inverse {

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "inverse";
  function.arity = 1;
  function.summary = "the inverse of a square matrix";
  function.group = FunctionGroup::matrices;
  function.numpy = "linalg.inv";
  function.arguments = "a";
  function.example = "Y[n,i,j] = inverse[i,j](A[n,i,j])";
  function.fault = "a singular matrix";
  function.bind = [](const std::vector<DType>& arguments) {
    check_arity("inverse", 1, arguments.size());
    return bind_matrices("inverse", arguments);
  };
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{2, {{0, 1}}, {0, 1}, true};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_inverse
