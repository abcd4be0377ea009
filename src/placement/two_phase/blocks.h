#pragma once

#include <vector>

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// How many blocks of keys each dimension of the join groups' key is dealt out in.
using SiteGrid = std::vector<int32_t>;

/// Every grid of blocks with one for each site; where dimensions have too few keys for that, those
/// with the most blocks that there can be.
std::vector<SiteGrid> grids_of_sites(const std::vector<int32_t>& extents, int32_t num_sites);

/// Join groups by blocks of their keys, one for each site; an aggregation group on one of the sites
/// that have its join groups, in turn. Of a product of matrices these are the algorithms in one,
/// two and three dimensions.
Plan dealt_in_blocks(const Problem& problem, const SiteGrid& grid);

/// Aggregation groups in their order with all their join groups, in one run for each site that has
/// an even share of the join groups: for numbers of sites of which no grid of blocks is even.
Plan dealt_in_runs(const Problem& problem);

/// The same plan with tuples that may lie anywhere on those of the sites that need them which would
/// receive most otherwise.
Plan with_even_homes(const Problem& problem, Plan plan);

}  // namespace tessera::placement::two_phase
