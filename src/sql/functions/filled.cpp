#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_filled {

namespace {

/// A tensor of these extents that is one number.
Term filled(TensorCall& call, const std::string& number) {
  ArrayType type{DType::f64, {}};
  for (const Term& argument : call.arguments) {
    const std::string text = argument.is_literal ? text_of(argument, {}) : "";
    const bool is_extent = !text.empty() &&
                           text.find_first_not_of("0123456789") == std::string::npos &&
                           text.size() < 19;
    TESSERA_USER_CHECK(is_extent && std::stoll(text) > 0,
                       "{} takes extents, whole numbers from 1 on: {}(10, 20)", call.name,
                       call.name);
    type.shape.push_back(std::stoll(text));
  }
  TESSERA_USER_CHECK(!type.shape.empty(), "{0} takes extents: {0}(10, 20)", call.name);
  return plain_term(type, [number](const Labels&) { return number; });
}

Term zeros(TensorCall& call) {
  return filled(call, "0.0");
}
Term ones(TensorCall& call) {
  return filled(call, "1.0");
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"zeros", "m, n, …", "a tensor of these extents, all of it 0",
                TensorFunction::kAnyNumber, zeros, true});
  registry.add({"ones", "m, n, …", "a tensor of these extents, all of it 1",
                TensorFunction::kAnyNumber, ones, true});
}

}  // namespace tessera::sql::tensor_function_filled
