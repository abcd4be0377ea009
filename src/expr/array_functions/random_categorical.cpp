#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_random_categorical {

namespace {

FunctionTypes types_of_random_categorical(const std::vector<DType>& arguments) {
  check_arity("random_categorical", 2, arguments.size());
  FunctionTypes types = bind_draw("random_categorical", arguments);
  types.result = DType::i64;
  return types;
}

}  // namespace

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "random_categorical";
  function.arity = 2;
  function.summary = "a position of k, drawn with probabilities as p: they need not sum to 1";
  function.group = FunctionGroup::draws;
  function.numpy = "random.Generator.choice";
  function.arguments = "bits, p";
  function.example = "z[n] = random_categorical[k](philox(7, index(n)), P[n,k])";
  function.fault = "parameters of no distribution";
  function.bind = &types_of_random_categorical;
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{1, {{}, {0}}, {}, false};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_random_categorical
