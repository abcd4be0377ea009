#pragma once

#include <vector>

#include "expr/monoid.h"
#include "kernels/isa/row_merge_table.h"

namespace tessera::kernels {

/// Returns a loop for every entry of a monoid's state; empty if some entry is not merged by itself,
/// by a function that has loops.
std::vector<MergeRows> merges_of(const expr::Monoid& monoid, Isa isa);

/// Returns a loop that adds rows times their factors; null if the monoid is no sum.
MergeRows merge_of_products(const expr::Monoid& monoid, Isa isa);

}  // namespace tessera::kernels
