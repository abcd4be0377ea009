#pragma once

#include <string>
#include <vector>

#include "expr/function.h"
#include "types/literal.h"

namespace tessera::frontend {

/// Returns the value of a function of numbers without a dtype, as Python would compute it.
///
/// Whole numbers stay exact (integer_fold.h). Everything else is computed in bool, i64, u64, f64 or
/// c128, by the function's own code in expr/functions/. The result has no dtype either: sqrt(64) is
/// 8.0, 2^-1 is 0.5. Throws a user Error if the function has no meaning for the numbers (an order
/// of complex numbers, an integer division by zero).
Literal fold_call(const expr::Function& function, const std::vector<Literal>& arguments);

/// True if fold_call knows the function: all of expr/functions/, but not one that a caller added.
bool can_fold(const expr::Function& function);

/// Returns the dtype of a number that nothing else gives one: b1, i64, u64, f64 or c128.
DType default_dtype(const Literal& literal);

}  // namespace tessera::frontend
