#include "kernels/cpu/whole/determinant.h"

namespace tessera::kernels::routine_det {

namespace {

Status run_det(DType dtype, const RoutineCall& call) noexcept {
  return visit_matrix_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    *call.result_as<T>() = determinant_of<T>(call).value();
    return Status::ok;
  });
}

}  // namespace

void register_routine(RoutineRegistry& registry) {
  registry.add({"det", false, &determinant_seconds, &factoring_bytes, &run_det});
}

}  // namespace tessera::kernels::routine_det
