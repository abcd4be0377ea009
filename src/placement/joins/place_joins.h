#pragma once

#include "ir/ia/graph.h"
#include "optimizer/pass.h"
#include "placement/joins/contraction.h"

namespace tessera::placement::joins {

/// Places relations operator by operator, each join whole: where its operands lie together, else on
/// the sites that a policy gives its keys. An operand with all labels of that map is shuffled by
/// it, one with none is broadcast, and for one with some, copies go to the sites that need them
/// (TRA's RMM). Sums are added on the site where they are computed, moved once, and merged on the
/// sites that their groups get in turn.
///
/// An input of the program is read by the sites that need it (TRA §4: inputs start where the plan
/// needs them). The report tells if the policy places nothing of the program, names the joins that
/// get fewer sites than there are, and those whose grid of sites is a line although several labels
/// could be in it. Errors: `unsupported` for a key space too large for a table of sites.
ia::Graph place_joins(const tra::Graph& relations, const Policy& policy,
                      const optimizer::PassContext& context, optimizer::OptimizeReport& report);

}  // namespace tessera::placement::joins
