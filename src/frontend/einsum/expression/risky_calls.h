#pragma once

#include <cstdint>
#include <vector>

#include "frontend/einsum/expression/value_ranges.h"

/// Functions that have no value for some arguments; such a call ends a run.
namespace tessera::frontend {

/// An argument for some of whose values a function has none, and a number for which it has one,
/// whatever the other arguments are.
struct RiskyArgument {
  size_t position = 0;
  int64_t harmless = 1;
};

/// Returns the arguments that a function may fail for; empty for a function that always has a
/// value.
std::vector<RiskyArgument> risky_arguments(const std::string& function);

/// True if a call may fail for an argument in this range that is computed in `dtype`; `last` is the
/// last argument's number.
bool may_fail(const std::string& function, ValueRange values, DType dtype, ValueRange last);

}  // namespace tessera::frontend
