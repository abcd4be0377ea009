#pragma once

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// The rules that may assign (Two-phase §6).
enum class Rules : uint8_t {
  both,
  first,   // "Put join groups where they are aggregated"
  second,  // "Put the join groups close to their input tuples"
};

/// The choice between sites that make the plan equally dear. The cost is the busiest site's, so
/// there often are many.
enum class Ties : uint8_t {
  lowest_site,   // like in the paper
  fewest_moved,  // the least moved to it, then the least work; then like
                 // above
};

/// Assigns aggregation groups in their order, by the rule that leaves the plan cheaper, the first
/// if both are equal. The first rule takes a group with all its unassigned join groups to one site.
/// The second takes one of these join groups to the site where the plan grows least, and at last
/// the group itself. If nothing is merged, only the first rule applies.
///
/// Costs are kept up to date: a step takes time in the number of sites and the tuples of the join
/// groups that it assigns. Source: Two-phase §6, figure 5.
Plan assigned_greedily(const Problem& problem, Rules rules, Ties ties);

}  // namespace tessera::placement::two_phase
