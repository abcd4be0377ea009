#pragma once

#include <functional>
#include <string>

#include "frontend/einsum/reference/callables.h"

namespace tessera::frontend {

/// Adds what a callable gives for every dtype; where `result_of` throws a user Error, the dtype is
/// refused.
void add_results(Callable& callable, const std::function<DType(DType)>& result_of);

/// What an aggregate gives where there is nothing to reduce, of floats if it takes them: "0", or
/// "an error".
std::string value_of_nothing(const expr::Aggregate& aggregate);

}  // namespace tessera::frontend
