#pragma once

#include "optimizer/ia/communication.h"
#include "optimizer/ia/placement_memo.h"

namespace tessera::optimizer {

/// Fills in what a way of a memo wants, and what it costs by itself: the sites it leaves idle, and
/// what is made and moved between that is no relation of the memo. REQUIRES a memo that is filled.
void price_way(Way& way, const PlacementMemo& memo, Communication& communication);

}  // namespace tessera::optimizer
