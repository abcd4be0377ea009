#pragma once

#include <optional>
#include <string>

#include "expr/monoid.h"

namespace tessera::kernels {

/// The function of two arguments by which one state of a monoid is merged with its like alone;
/// nothing where others have a part in it.
std::optional<std::string> merging_function_of(const expr::Monoid& monoid, size_t state);

}  // namespace tessera::kernels
