#pragma once

#include <cstdint>

#include "kernels/registry.h"

namespace tessera::plans {

/// Every kernel, with its predicted seconds times a factor of 1/100 to 100 drawn by the seed and
/// the kernel's name, so that other kernels are chosen.
kernels::Registry perturbed_kernels(uint64_t seed);

}  // namespace tessera::plans
