#pragma once

#include "kernels/generated/generator.h"
#include "kernels/registry.h"

namespace tessera::kernels {

/// Returns the kernels with `generated`, if it is one of them, given a generator that outlives
/// them. The registered one has no generator, and interprets.
Registry with_generator(const Registry& kernels, const generated::Generator& generator);

}  // namespace tessera::kernels
