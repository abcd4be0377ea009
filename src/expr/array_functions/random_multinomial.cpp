#include "base/error.h"
#include "expr/function.h"
#include "expr/function_types.h"

namespace tessera::expr::array_function_random_multinomial {

namespace {

FunctionTypes types_of_random_multinomial(const std::vector<DType>& arguments) {
  check_arity("random_multinomial", 3, arguments.size());
  TESSERA_USER_CHECK(is_integer(arguments[1]),
                     "random_multinomial draws a whole number of times, not {}; write i64(...)",
                     name_of(arguments[1]));
  const FunctionTypes floats = bind_draw("random_multinomial", {arguments[0], arguments[2]});
  return {{DType::i64, DType::i64, floats.arguments[1]}, DType::i64};
}

}  // namespace

void register_array_function(FunctionRegistry& registry) {
  Function function;
  function.name = "random_multinomial";
  function.arity = 3;
  function.summary = "how often each position of k is drawn in n draws with probabilities as p";
  function.group = FunctionGroup::draws;
  function.numpy = "random.Generator.multinomial";
  function.arguments = "bits, n, p";
  function.example = "C[n,k] = random_multinomial[k](philox(7, index(n)), 100, P[n,k])";
  function.fault = "parameters of no distribution";
  function.bind = &types_of_random_multinomial;
  function.cost = FunctionCost::one_by_one;
  function.core = CoreLabels{1, {{}, {}, {0}}, {0}, false};
  registry.add(std::move(function));
}

}  // namespace tessera::expr::array_function_random_multinomial
