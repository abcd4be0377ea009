#pragma once

#include <optional>

#include "expr/scalar.h"
#include "ir/tra/key_set.h"

namespace tessera::tra {

/// True if a filter's predicate holds for a key (index_of(n) is its dimension n). Nothing if it
/// computes in other numbers than integers and truth values, with a function that is not one of
/// comparison, logic or whole-number arithmetic, or if it faults: then the plan finds out, with a
/// kernel. The functions' own code runs, so both give the same answer.
std::optional<bool> holds(const expr::Scalar& predicate, const Key& key);

}  // namespace tessera::tra
