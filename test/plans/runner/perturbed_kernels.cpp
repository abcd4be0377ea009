#include "plans/runner/perturbed_kernels.h"

#include <array>
#include <cmath>
#include <random>
#include <utility>

#include "base/error.h"

namespace tessera::plans {

namespace {

constexpr size_t kMostKernels = 32;

using CostOf = kernels::Cost (*)(const expr::TileProgram&, const kernels::CallShape&);

/// What the wrapper number N multiplies: a kernel's cost is a bare function, which carries nothing.
struct Wrapped {
  CostOf cost = nullptr;
  double factor = 1;
};

std::array<Wrapped, kMostKernels>& wrapped() {
  static std::array<Wrapped, kMostKernels> all;
  return all;
}

template <size_t N>
kernels::Cost perturbed_cost(const expr::TileProgram& program, const kernels::CallShape& shape) {
  kernels::Cost cost = wrapped()[N].cost(program, shape);
  cost.seconds *= wrapped()[N].factor;
  return cost;
}

template <size_t... N>
constexpr std::array<CostOf, kMostKernels> wrappers(std::index_sequence<N...>) {
  return {&perturbed_cost<N>...};
}

}  // namespace

kernels::Registry perturbed_kernels(uint64_t seed) {
  kernels::Registry all;
  kernels::register_all_kernels(all);
  TESSERA_CHECK(all.all().size() <= kMostKernels, "{} kernels, room for {}", all.all().size(),
                kMostKernels);
  static constexpr auto kWrappers = wrappers(std::make_index_sequence<kMostKernels>());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-2, 2);
  kernels::Registry perturbed;
  for (size_t number = 0; number < all.all().size(); ++number) {
    kernels::Kernel kernel = all.all()[number];
    wrapped()[number] = {kernel.cost, std::pow(10.0, exponent(random))};
    kernel.cost = kWrappers[number];
    perturbed.add(std::move(kernel));
  }
  return perturbed;
}

}  // namespace tessera::plans
