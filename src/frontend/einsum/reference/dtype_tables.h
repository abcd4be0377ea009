#pragma once

#include <functional>
#include <string>

#include "frontend/einsum/reference/callables.h"

namespace tessera::frontend {

/// Adds the result dtype of a callable for every dtype; if `result_of` throws a user Error, the
/// dtype is refused.
void add_results(Callable& callable, const std::function<DType(DType)>& result_of);

/// Returns the value of an aggregate over no elements, for floats if it takes them: "0", or "an
/// error".
std::string value_of_nothing(const expr::Aggregate& aggregate);

}  // namespace tessera::frontend
