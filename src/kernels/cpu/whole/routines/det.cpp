#include <algorithm>

#include "kernels/cpu/whole/factoring.h"
#include "kernels/cpu/whole/lapack.h"

namespace tessera::kernels {

namespace {

/// The product of the diagonal, with a sign for each exchange of rows; of a singular matrix it has
/// a zero.
Status run_det(DType dtype, const RoutineCall& call) noexcept {
  return visit_matrix_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const int64_t size = call.extents.front();
    Factoring<T> room(call.workspace, size);
    std::copy_n(call.argument<T>(0), size * size, room.matrix.data());
    if (size > 0) {
      factor(room.matrix.data(), static_cast<int32_t>(size), room.pivots.data());
    }
    T product = T(1);
    for (int64_t row = 0; row < size; ++row) {
      product *= room.matrix[static_cast<size_t>(row * (size + 1))];
      if (room.pivots[static_cast<size_t>(row)] != static_cast<int32_t>(row) + 1) {
        product = -product;
      }
    }
    *call.result_as<T>() = product;
    return Status::ok;
  });
}

}  // namespace

void register_routine_det(RoutineRegistry& registry);

void register_routine_det(RoutineRegistry& registry) {
  registry.add({"det", false,
                [](const RoutineSize& size, const KernelRates& rates) {
                  const double extent = size.extent();
                  return factoring_seconds(extent * extent * extent / 3, size.dtype, rates);
                },
                &factoring_bytes, &run_det});
}

}  // namespace tessera::kernels
