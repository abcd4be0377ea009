#include "plans/runner/perturbed_kernels.h"

#include <cmath>
#include <random>
#include <utility>

namespace tessera::plans {

kernels::Registry perturbed_kernels(uint64_t seed) {
  kernels::Registry all;
  kernels::register_all_kernels(all);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-2, 2);
  kernels::Registry perturbed;
  for (kernels::Kernel kernel : all.all()) {
    kernel.reader = [read = kernel.reader, factor = std::pow(10.0, exponent(random))](
                        const expr::TileProgram& program, const kernels::CallShape& shape,
                        const kernels::Context& context) {
      OrRefusal<kernels::KernelPlan> plan = read(program, shape, context);
      if (plan) {
        plan->cost.seconds *= factor;
      }
      return plan;
    };
    perturbed.add(std::move(kernel));
  }
  return perturbed;
}

}  // namespace tessera::plans
