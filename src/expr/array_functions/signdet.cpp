#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_signdet {

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "signdet";
  function.arity = 1;
  function.summary = "-1, 0 or 1: the sign of the determinant";
  function.group = FunctionGroup::matrices;
  function.numpy = "linalg.slogdet";
  function.arguments = "a";
  function.example = "s[n] = signdet[i,j](A[n,i,j])";
  function.fault = "";
  function.bind = [](const std::vector<DType>& arguments) {
    check_arity("signdet", 1, arguments.size());
    return bind_matrices("signdet", arguments);
  };
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{2, {{0, 1}}, {}, true};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_signdet
