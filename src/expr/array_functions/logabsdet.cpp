#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_logabsdet {

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "logabsdet";
  function.arity = 1;
  function.summary = "log(abs(det)), where det itself would overflow or vanish";
  function.group = FunctionGroup::matrices;
  function.numpy = "linalg.slogdet";
  function.arguments = "a";
  function.example = "l[n] = logabsdet[i,j](A[n,i,j])";
  function.fault = "";
  function.bind = [](const std::vector<DType>& arguments) {
    check_arity("logabsdet", 1, arguments.size());
    return bind_matrices("logabsdet", arguments);
  };
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{2, {{0, 1}}, {}, true};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_logabsdet
