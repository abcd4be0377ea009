#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_det {

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "det";
  function.arity = 1;
  function.summary = "the determinant of a square matrix";
  function.group = FunctionGroup::matrices;
  function.numpy = "linalg.det";
  function.arguments = "a";
  function.example = "d[n] = det[i,j](A[n,i,j])";
  function.fault = "";
  function.bind = [](const std::vector<DType>& arguments) {
    check_arity("det", 1, arguments.size());
    return bind_matrices("det", arguments);
  };
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{2, {{0, 1}}, {}, true};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_det
