#include <algorithm>

#include "expr/functions/random_binomial.h"
#include "kernels/cpu/whole/draws.h"

namespace tessera::kernels::routine_random_multinomial {

namespace {

/// Draws the count of each position in turn: a binomial draw among the remaining draws, by its
/// share of the remaining weights. The last position of positive weight gets all remaining draws.
template <class T>
void draw_counts(const T* weights, int64_t count, int64_t draws, int64_t bits,
                 int64_t* counts) noexcept {
  expr::portable::RandomStream stream(bits);
  int64_t last = count - 1;
  while (last > 0 && !(weights[last] > 0)) {
    --last;
  }
  double left = sum_of_weights(weights, count);
  std::fill_n(counts, count, 0);
  for (int64_t k = 0; k < last && draws > 0; ++k) {
    const auto weight = static_cast<double>(weights[k]);
    const double share = left > 0 ? std::min(weight / left, 1.0) : 0;
    counts[k] = static_cast<int64_t>(
        expr::portable::binomial_draw(stream, static_cast<double>(draws), share));
    draws -= counts[k];
    left -= weight;
  }
  counts[last] += draws;
}

Status run_multinomial(DType dtype, const RoutineCall& call) noexcept {
  return visit_weight_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const int64_t count = call.extents.front();
    const T* const weights = call.argument<T>(2);
    const int64_t draws = *call.argument<int64_t>(1);
    if (draws < 0 || draws > int64_t{1} << 53 || !is_distribution(sum_of_weights(weights, count))) {
      return Status::no_distribution;
    }
    draw_counts(weights, count, draws, *call.argument<int64_t>(0), call.result_as<int64_t>());
    return Status::ok;
  });
}

}  // namespace

void register_routine(RoutineRegistry& registry) {
  registry.add({"random_multinomial", false,
                [](const RoutineSize& size, const KernelRates&) { return 300e-9 * size.extent(); },
                [](const RoutineSize&) { return int64_t{0}; }, &run_multinomial});
}

}  // namespace tessera::kernels::routine_random_multinomial
