#include <algorithm>

#include "kernels/cpu/whole/factoring.h"
#include "kernels/cpu/whole/lapack.h"

namespace tessera::kernels::routine_inverse {

namespace {

/// Inverts. The inverse of the transpose, which LAPACK sees, is the transpose of the inverse.
Status run_inverse(DType dtype, const RoutineCall& call) noexcept {
  return visit_matrix_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const int64_t size = call.extents.front();
    const auto extent = static_cast<int32_t>(size);
    Factoring<T> room(call.workspace, size);
    T* const result = call.result_as<T>();
    std::copy_n(call.argument<T>(0), size * size, result);
    if (size == 0) {
      return Status::ok;
    }
    if (!factor(result, extent, room.pivots.data())) {
      return Status::singular_matrix;
    }
    int32_t info = 0;
    const auto room_size = static_cast<int32_t>(room.matrix.size());
    Lapack<T>::kInvert(&extent, result, &extent, room.pivots.data(), room.matrix.data(), &room_size,
                       &info);
    // LAPACK's zeros may have either sign.
    std::transform(result, result + size * size, result, [](T entry) { return entry + T(0); });
    return info == 0 ? Status::ok : Status::singular_matrix;
  });
}

}  // namespace

void register_routine(RoutineRegistry& registry) {
  registry.add({"inverse", false,
                [](const RoutineSize& size, const KernelRates& rates) {
                  const double extent = size.extent();
                  return factoring_seconds(extent * extent * extent, size.dtype, rates);
                },
                &factoring_bytes, &run_inverse});
}

}  // namespace tessera::kernels::routine_inverse
