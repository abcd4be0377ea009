#pragma once

#include <string>
#include <vector>

#include "optimizer/ia/placement_memo.h"
#include "optimizer/rewrite/rewriting.h"

namespace tessera::optimizer {

/// Puts a plan of a memo in the place of the graph that the memo was made of, so that the report
/// says which rules made it and where. Where steps are shown there is one for each relation after
/// which the whole is a graph; the rules that are needed together share it. REQUIRES ways, by
/// relation, that can be done together.
void take_plan(rewrite::Rewriting<ia::Graph>& rewriting, const PlacementMemo& memo,
               const std::vector<size_t>& ways);

}  // namespace tessera::optimizer
