#pragma once

#include "optimizer/ia/communication.h"
#include "optimizer/ia/placement_memo.h"

namespace tessera::optimizer {

/// Fills in the required inputs and the own cost of an alternative: the sites it leaves idle, and
/// the nodes and moves between that are no relation of the memo. REQUIRES a complete memo.
void price_alternative(Alternative& alternative, const PlacementMemo& memo,
                       Communication& communication);

}  // namespace tessera::optimizer
