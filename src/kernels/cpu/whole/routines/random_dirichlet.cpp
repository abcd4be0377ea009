#include <algorithm>

#include "expr/functions/random_gamma.h"
#include "kernels/cpu/whole/draws.h"
#include "kernels/workspace.h"

namespace tessera::kernels::routine_random_dirichlet {

namespace {

/// Draws gamma variates over their sum, by logarithms: for small concentrations all may underflow.
/// A concentration of 0 is a share of 0. Source: Devroye, Non-Uniform Random Variate Generation,
/// 1986, XI.4.
template <class T>
void draw_shares(const T* concentrations, int64_t count, int64_t bits,
                 std::span<double> logs) noexcept {
  expr::portable::RandomStream stream(bits);
  for (int64_t k = 0; k < count; ++k) {
    const auto shape = static_cast<double>(concentrations[k]);
    logs[static_cast<size_t>(k)] = shape > 0 ? expr::portable::log_gamma_draw(stream, shape)
                                             : -std::numeric_limits<double>::infinity();
  }
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (double& share : logs) {
    share = std::exp(share - largest);
    sum += share;
  }
  for (double& share : logs) {
    share /= sum;
  }
}

Status run_dirichlet(DType dtype, const RoutineCall& call) noexcept {
  return visit_weight_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const int64_t count = call.extents.front();
    const T* const concentrations = call.argument<T>(1);
    if (!is_distribution(sum_of_weights(concentrations, count))) {
      return Status::no_distribution;
    }
    const std::span<double> shares =
        Carver(call.workspace).take<double>(static_cast<size_t>(count));
    draw_shares(concentrations, count, *call.argument<int64_t>(0), shares);
    std::transform(shares.begin(), shares.end(), call.result_as<T>(),
                   [](double share) { return static_cast<T>(share); });
    return Status::ok;
  });
}

}  // namespace

void register_routine(RoutineRegistry& registry) {
  registry.add({"random_dirichlet", false,
                [](const RoutineSize& size, const KernelRates&) { return 300e-9 * size.extent(); },
                [](const RoutineSize& size) {
                  return aligned_bytes(size.extents.front() * static_cast<int64_t>(sizeof(double)));
                },
                &run_dirichlet});
}

}  // namespace tessera::kernels::routine_random_dirichlet
