#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/partition/model/model.h"
#include "optimizer/partition/problem/fineness.h"

namespace tessera::optimizer::partition {

using Lengths = std::vector<int64_t>;  // of the pieces, by label

/// Fewer pieces than are asked for, the fewest last: for what carries files, where longer runs of
/// bytes may be worth more than tiles that stay in the cache.
std::vector<int64_t> fewer_products(const StatementModel& statement, const Fineness& fineness);

/// The ways to cut a slice of a statement that are looked at (EinDecomp §8.1): as many pieces as a
/// fineness asks for, or fewer or more where that may be worth it. Sorted, each once; not empty.
std::vector<Lengths> all_lengths(const StatementModel& statement, const Fineness& fineness);

}  // namespace tessera::optimizer::partition
