#include "kernels/cpu/whole/determinant.h"

namespace tessera::kernels::routine_logabsdet {

namespace {

Status run_logabsdet(DType dtype, const RoutineCall& call) noexcept {
  return visit_matrix_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    *call.result_as<T>() = determinant_of<T>(call).log_magnitude();
    return Status::ok;
  });
}

}  // namespace

void register_routine(RoutineRegistry& registry) {
  registry.add({"logabsdet", false, &determinant_seconds, &factoring_bytes, &run_logabsdet});
}

}  // namespace tessera::kernels::routine_logabsdet
