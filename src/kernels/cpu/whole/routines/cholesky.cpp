#include <algorithm>

#include "kernels/cpu/whole/factoring.h"
#include "kernels/cpu/whole/lapack.h"

namespace tessera::kernels::routine_cholesky {

namespace {

/// Runs LAPACK's upper factoring, which gives our lower triangle. Only that triangle of the
/// argument is read, like in numpy.
Status run_cholesky(DType dtype, const RoutineCall& call) noexcept {
  return visit_matrix_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const int64_t size = call.extents.front();
    const auto extent = static_cast<int32_t>(size);
    T* const result = call.result_as<T>();
    std::fill_n(result, size * size, T(0));
    for (int64_t row = 0; row < size; ++row) {
      std::copy_n(call.argument<T>(0) + row * size, row + 1, result + row * size);
    }
    int32_t info = 0;
    if (size > 0) {
      Lapack<T>::kCholesky("U", &extent, result, &extent, &info, 1);
    }
    return info == 0 ? Status::ok : Status::not_positive_definite;
  });
}

}  // namespace

void register_routine(RoutineRegistry& registry) {
  registry.add({"cholesky", false,
                [](const RoutineSize& size, const KernelRates& rates) {
                  const double extent = size.extent();
                  return factoring_seconds(extent * extent * extent / 6, size.dtype, rates);
                },
                [](const RoutineSize&) { return int64_t{0}; }, &run_cholesky});
}

}  // namespace tessera::kernels::routine_cholesky
