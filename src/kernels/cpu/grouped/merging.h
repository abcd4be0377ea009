#pragma once

#include <vector>

#include "expr/monoid.h"
#include "kernels/isa/row_merge_table.h"

namespace tessera::kernels {

/// A loop for every entry of a monoid's state; empty where some entry is not merged by itself, by
/// one of the functions that have loops.
std::vector<MergeRows> merges_of(const expr::Monoid& monoid, Isa isa);

/// A loop that adds rows times their factors; null where the monoid is no sum.
MergeRows merge_of_products(const expr::Monoid& monoid, Isa isa);

}  // namespace tessera::kernels
