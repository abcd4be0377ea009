#pragma once

#include <vector>

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// The number of blocks of keys in each dimension of the join groups' key.
using SiteGrid = std::vector<int32_t>;

/// Returns every grid of blocks with one for each site; if the dimensions have too few keys, the
/// grids with the most possible blocks.
std::vector<SiteGrid> grids_of_sites(const std::vector<int32_t>& extents, int32_t num_sites);

/// Deals join groups out by blocks of their keys, one for each site, and each aggregation group to
/// one of the sites that have its join groups, in turn. For a product of matrices these are the
/// algorithms in one, two and three dimensions.
Plan dealt_in_blocks(const Problem& problem, const SiteGrid& grid);

/// Deals aggregation groups out in their order with all their join groups, in one run for each site
/// that has an even share of the join groups: for numbers of sites that no grid of blocks divides
/// evenly.
Plan dealt_in_runs(const Problem& problem);

/// Returns the plan with tuples that may lie anywhere on the site, among those that need them, that
/// would otherwise receive most.
Plan with_even_homes(const Problem& problem, Plan plan);

}  // namespace tessera::placement::two_phase
