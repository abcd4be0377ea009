#pragma once

#include "kernels/generated/generator.h"
#include "kernels/registry.h"

namespace tessera::kernels {

/// The kernels with `generated`, where it is one of them, by a generator that outlives them. As it
/// is registered it has none, and interprets.
Registry with_generator(const Registry& kernels, const generated::Generator& generator);

}  // namespace tessera::kernels
