#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_solve {

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "solve";
  function.arity = 2;
  function.summary = "x such that sum[j] a[i,j] * x[j] is b[i]";
  function.group = FunctionGroup::matrices;
  function.numpy = "linalg.solve";
  function.arguments = "a, b";
  function.example = "Y[n,j,k] = solve[i,j](A[n,i,j], B[n,i,k])";
  function.fault = "a singular matrix";
  function.bind = [](const std::vector<DType>& arguments) {
    check_arity("solve", 2, arguments.size());
    return bind_matrices("solve", arguments);
  };
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{2, {{0, 1}, {0}}, {1}, true};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_solve
