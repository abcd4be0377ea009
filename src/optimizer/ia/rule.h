#pragma once

#include "optimizer/ia/nodes.h"
#include "optimizer/rewrite/rule.h"

namespace tessera::optimizer {

/// Equivalences of placed programs (TRA §5: equal once the site is dropped), one file each in
/// optimizer/ia/rules/. A placement that follows from what a node reads is filled in behind the
/// rule, and where a local operator cannot be done there, the rewrite is none: a rule needs no
/// condition about where tuples lie but for those that decide what it proposes.
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
