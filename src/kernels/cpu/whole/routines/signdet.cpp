#include "kernels/cpu/whole/determinant.h"

namespace tessera::kernels::routine_signdet {

namespace {

Status run_signdet(DType dtype, const RoutineCall& call) noexcept {
  return visit_matrix_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    *call.result_as<T>() = determinant_of<T>(call).sign();
    return Status::ok;
  });
}

}  // namespace

void register_routine(RoutineRegistry& registry) {
  registry.add({"signdet", false, &determinant_seconds, &factoring_bytes, &run_signdet});
}

}  // namespace tessera::kernels::routine_signdet
