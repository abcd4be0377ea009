#pragma once

#include "optimizer/ia/nodes.h"
#include "optimizer/rewrite/rule.h"

namespace tessera::optimizer {

/// Equivalences of placed programs (TRA §5: equal once the site is dropped), one file each in
/// optimizer/ia/rules/. The driver fills in a placement that follows from a node's inputs, and
/// drops a rewrite whose local operator cannot be done there. So a rule states no condition about
/// placements beyond those that decide its proposal.
using PlacementRuleContext = rewrite::RuleContext<ia::Graph>;
using PlacementRewritten = rewrite::Rewritten<ia::Graph>;
using PlacementReplaced = rewrite::Replaced<ia::Graph>;
using OneOfPlacements = rewrite::OneOf<ia::Graph>;
using PlacementOutcome = rewrite::Outcome<ia::Graph>;
using PlacementRewrite = rewrite::NodeRewrite<ia::Graph>;
using PlacementRule = rewrite::Rule<ia::Graph>;
using PlacementRuleRegistry = Registry<PlacementRule>;

/// Adds every rule of optimizer/ia/rules/ (the list is generated from the folder).
void register_all_placement_rules(PlacementRuleRegistry& registry);

}  // namespace tessera::optimizer
