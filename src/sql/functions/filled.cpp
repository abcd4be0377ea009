#include "base/error.h"
#include "sql/tensor_function.h"

namespace tessera::sql::tensor_function_filled {

namespace {

constexpr int64_t kMostExtent = 1'000'000'000'000'000'000;

/// A tensor of these extents that is one number.
Term filled(TensorCall& call, double number) {
  ArrayType type{DType::f64, {}};
  for (const Term& argument : call.arguments) {
    const auto* const extent =
        argument.literal ? std::get_if<int64_t>(&*argument.literal) : nullptr;
    TESSERA_USER_CHECK(extent != nullptr && *extent > 0 && *extent < kMostExtent,
                       "{} takes extents, whole numbers from 1 on: {}(10, 20)", call.name,
                       call.name);
    type.shape.push_back(*extent);
  }
  TESSERA_USER_CHECK(!type.shape.empty(), "{0} takes extents: {0}(10, 20)", call.name);
  return plain_term(type, [number](const Expressions&) { return program::number(number); });
}

Term zeros(TensorCall& call) {
  return filled(call, 0.0);
}
Term ones(TensorCall& call) {
  return filled(call, 1.0);
}

}  // namespace

void register_tensor_function(TensorFunctionRegistry& registry) {
  registry.add({"zeros", "m, n, …", "a tensor of these extents, all of it 0",
                TensorFunction::kAnyNumber, zeros, true});
  registry.add({"ones", "m, n, …", "a tensor of these extents, all of it 1",
                TensorFunction::kAnyNumber, ones, true});
}

}  // namespace tessera::sql::tensor_function_filled
