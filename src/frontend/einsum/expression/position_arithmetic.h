#pragma once

#include <string>
#include <vector>

#include "frontend/einsum/expression/builder.h"

/// Integers of an index or of the number of a group, which are computed in i64.
namespace tessera::frontend {

/// An integer in i64, so that a position that is computed from it does not wrap; u64, and what is
/// no integer, as it is.
Value position(ExpressionBuilder& builder, const Value& value);

/// The arguments of a function within an index. Integers that it adds, multiplies or chooses are
/// converted to i64; numbers of u64 are chosen among in u64.
std::vector<Value> position_arguments(ExpressionBuilder& builder, const std::string& function,
                                      std::vector<Value> arguments);

}  // namespace tessera::frontend
