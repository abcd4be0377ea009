#pragma once

#include "ir/ia/graph.h"
#include "optimizer/pass.h"
#include "placement/joins/contraction.h"

namespace tessera::placement::joins {

/// Places relations operator by operator, each join whole: where what it reads lies together there,
/// else by the sites that a policy gives its keys. An operand that has all labels of that map is
/// shuffled by it, one that has none broadcast, and of one that has some, copies go to the sites
/// that need them (TRA's RMM). Sums are added on the site where they are made, moved once, and
/// merged on the sites that their groups get in turn.
///
/// An input of the program is read by the sites that want it (TRA §4: inputs start as the plan
/// wants them). Says in the report if the policy places nothing of the program, and which joins it
/// gives to fewer sites than there are. Errors: `unsupported` where a key space is too large for a
/// table of sites.
ia::Graph place_joins(const tra::Graph& relations, const Policy& policy,
                      const optimizer::PassContext& context, optimizer::OptimizeReport& report);

}  // namespace tessera::placement::joins
