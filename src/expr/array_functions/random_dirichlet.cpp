#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_random_dirichlet {

namespace {

FunctionTypes types_of_random_dirichlet(const std::vector<DType>& arguments) {
  check_arity("random_dirichlet", 2, arguments.size());
  return bind_draw("random_dirichlet", arguments);
}

}  // namespace

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "random_dirichlet";
  function.arity = 2;
  function.summary = "positive numbers with the sum 1, drawn by the concentrations a";
  function.group = FunctionGroup::draws;
  function.numpy = "random.Generator.dirichlet";
  function.arguments = "bits, a";
  function.example = "Y[n,k] = random_dirichlet[k](philox(7, index(n)), P[n,k])";
  function.fault = "parameters of no distribution";
  function.bind = &types_of_random_dirichlet;
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{1, {{}, {0}}, {0}, false};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_random_dirichlet
