#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_ln {

namespace {

/// As SQLite has it of numbers, whose `log` is to base 10.
Term apply(TensorCall& call) {
  return elementwise("log", call.arguments, call.functions, call.name);
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"ln", "x", "the natural logarithm, element by element", 1, apply});
}

}  // namespace tessera::sql::tensor_function_ln
