#pragma once

#include <string>
#include <vector>

#include "optimizer/ia/placement_memo.h"
#include "optimizer/rewrite/rewriting.h"

namespace tessera::optimizer {

/// Replaces the graph that a memo was made from by a plan of the memo, so that the report names the
/// rules that made it and their statements. If steps are shown, there is one for each relation
/// after which the whole is a graph; rules that are needed together share it. REQUIRES
/// alternatives, by relation, that can be done together.
void take_plan(rewrite::Rewriting<ia::Graph>& rewriting, const PlacementMemo& memo,
               const std::vector<size_t>& alternatives);

}  // namespace tessera::optimizer
