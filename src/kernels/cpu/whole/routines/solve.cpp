#include <algorithm>

#include "kernels/cpu/whole/factoring.h"
#include "kernels/cpu/whole/lapack.h"

namespace tessera::kernels::routine_solve {

namespace {

/// Solves. LAPACK sees the transpose, and is told to solve with that transposed again. Every column
/// of its right side is one of our arrays.
Status run_solve(DType dtype, const RoutineCall& call) noexcept {
  return visit_matrix_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const int64_t size = call.extents.front();
    const auto extent = static_cast<int32_t>(size);
    const auto columns = static_cast<int32_t>(call.columns);
    Factoring<T> room(call.workspace, size);
    std::copy_n(call.argument<T>(0), size * size, room.matrix.data());
    std::copy_n(call.argument<T>(1), call.columns * size, call.result_as<T>());
    if (size == 0 || columns == 0) {
      return Status::ok;
    }
    if (!factor(room.matrix.data(), extent, room.pivots.data())) {
      return Status::singular_matrix;
    }
    int32_t info = 0;
    Lapack<T>::kSolve("T", &extent, &columns, room.matrix.data(), &extent, room.pivots.data(),
                      call.result_as<T>(), &extent, &info, 1);
    return Status::ok;
  });
}

}  // namespace

void register_routine(RoutineRegistry& registry) {
  registry.add({"solve", true,
                [](const RoutineSize& size, const KernelRates& rates) {
                  const double extent = size.extent();
                  const double products = extent * extent * (extent / 3 + size.num_columns());
                  return factoring_seconds(products, size.dtype, rates);
                },
                &factoring_bytes, &run_solve});
}

}  // namespace tessera::kernels::routine_solve
