#include <algorithm>

#include "kernels/cpu/whole/draws.h"

namespace tessera::kernels::routine_random_categorical {

namespace {

/// Returns the first position at which the running sum passes a share of the whole sum. Positions
/// of weight 0 are never taken: if rounding leaves the share at the sum, the last one of positive
/// weight is.
template <class T>
int64_t position_of_share(const T* weights, int64_t count, double share) noexcept {
  double sum = 0;
  int64_t last = 0;
  for (int64_t k = 0; k < count; ++k) {
    sum += static_cast<double>(weights[k]);
    if (sum > share) {
      return k;
    }
    last = weights[k] > 0 ? k : last;
  }
  return last;
}

Status run_categorical(DType dtype, const RoutineCall& call) noexcept {
  return visit_weight_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const int64_t count = call.extents.front();
    const T* const weights = call.argument<T>(1);
    const double sum = sum_of_weights(weights, count);
    if (!is_distribution(sum)) {
      return Status::no_distribution;
    }
    const auto bits = static_cast<uint64_t>(*call.argument<int64_t>(0));
    *call.result_as<int64_t>() =
        position_of_share(weights, count, sum * expr::portable::unit_of(bits));
    return Status::ok;
  });
}

}  // namespace

/// Measured: 100 weights of f64, of which half are summed twice, 0.08 us (Zen, 2026-11).
void register_routine(RoutineRegistry& registry) {
  registry.add(
      {"random_categorical", false,
       [](const RoutineSize& size, const KernelRates&) { return 20e-9 + 1e-9 * size.extent(); },
       [](const RoutineSize&) { return int64_t{0}; }, &run_categorical});
}

}  // namespace tessera::kernels::routine_random_categorical
