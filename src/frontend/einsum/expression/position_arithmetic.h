#pragma once

#include <string>
#include <vector>

#include "frontend/einsum/expression/builder.h"

/// Integers in indices and group numbers, which are computed in i64.
namespace tessera::frontend {

/// Casts an integer to i64, so that a position computed from it does not wrap. u64 and other values
/// stay as they are.
Value position(ExpressionBuilder& builder, const Value& value);

/// Converts the arguments of a function inside an index. Integers that it adds, multiplies or
/// chooses are converted to i64; a choice among u64 stays in u64.
std::vector<Value> position_arguments(ExpressionBuilder& builder, const std::string& function,
                                      std::vector<Value> arguments);

}  // namespace tessera::frontend
