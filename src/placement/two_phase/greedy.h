#pragma once

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// Which of the two rules may assign (Two-phase §6).
enum class Rules : uint8_t {
  both,
  first,   // "Put join groups where they are aggregated"
  second,  // "Put the join groups close to their input tuples"
};

/// What decides between sites that make the plan equally dear. The cost is the busiest site's, so
/// that often many do.
enum class Ties : uint8_t {
  lowest_site,   // as the paper leaves it
  fewest_moved,  // the site to which least is moved, of these the one with least to do; then as
                 // above
};

/// Assigns aggregation groups in their order: the rule that leaves the plan cheaper, the first
/// where both do alike, takes a group with all its join groups that are left to one site, or one of
/// these join groups to the site where the plan grows least, and at last the group itself. Where
/// nothing is merged, only the first rule has anything to do.
///
/// Costs are kept up to date: a step takes time in the number of sites and the tuples of the join
/// groups that it assigns. Source: Two-phase §6, figure 5.
Plan assigned_greedily(const Problem& problem, Rules rules, Ties ties);

}  // namespace tessera::placement::two_phase
