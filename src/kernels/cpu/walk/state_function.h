#pragma once

#include <optional>
#include <string>

#include "expr/monoid.h"

namespace tessera::kernels {

/// Returns the function of two arguments that alone merges one state of a monoid; nothing if other
/// states have a part in it.
std::optional<std::string> merging_function_of(const expr::Monoid& monoid, size_t state);

}  // namespace tessera::kernels
